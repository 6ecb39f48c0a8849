// Forms of exchanges in which all ranks take the same steps with equal messages. They combine the cost of a catalogue's
// StepsForm with the links of the schedule's messages.
#include "analysis/run/forms/closed_form_exchange.hpp"

#include "analysis/run/forms/closed_form_codec.hpp"
#include "models/codecs/selection/topk_entries.hpp"
#include "models/forms/form_collectives.hpp"
#include "models/schedules/make_schedule.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

/// Returns host costs of the messages on the critical path. Each step has one sent and one received message. Includes
/// the time of a codec in software.
Moment message_costs(const TrainingSpec& training, double messages, double bytes, double width) {
  double seconds = 0;
  for (const CostSpec& cost : training.costs) {
    if (cost.at != CostHook::message_send && cost.at != CostHook::message_receive) continue;
    seconds += cost.rates().message_seconds(messages, bytes, width);
  }
  const CompressionSpec& codec = training.compression;
  if (codec.in_software()) seconds += bytes * (codec.encode_seconds() + codec.decode_seconds());
  return Moment::working(seconds);
}

/// Adds the conditions for equal messages in each step: divisible buckets, and blocks of equal size.
void add_cut_assumptions(ExchangeForm& form, const PhaseLayout& layout, const StepsForm& recipe) {
  const int p = layout.workers, pieces = layout.training.exchange.pieces;
  std::vector<Assumption> alike;
  switch (recipe.cut) {
  case Cut::whole: return;
  case Cut::blocks:
    form.cuts = p * pieces;
    // A compressing NIC may take longer for a smaller block: its last packet and burst differ.
    form.assumptions.push_back(
        divisible(layout, form.cuts, pieces > 1 ? "p C" : "p",
                  pieces == 1 && recipe.path_of_largest && !layout.training.compression.in_nic()));
    alike = blocks_weigh_alike(layout, form.cuts);
    break;
  case Cut::runs:
    form.assumptions.push_back(divisible(layout, power_of_two_below(p), is_power_of_two(p) ? "p" : "p2", false));
    alike = weighs_in_proportion(layout);
    break;
  }
  form.assumptions.insert(form.assumptions.end(), alike.begin(), alike.end());
}

} // namespace

std::vector<Messages> placed(std::vector<Messages> steps, const std::vector<int>& places) {
  for (Messages& step : steps)
    for (auto& [from, to] : step) {
      from = places[static_cast<std::size_t>(from)];
      to = places[static_cast<std::size_t>(to)];
    }
  return steps;
}

ExchangeForm steps_form(const PhaseLayout& layout, const StepsForm& recipe) {
  const TrainingSpec& training = layout.training;
  const ExchangeSpec& x = training.exchange;
  const int p = layout.workers;
  const bool lists = sends_lists(x);
  const std::vector<int> places = worker_places(layout);

  RouteSurvey survey(layout.platform);
  const std::vector<Messages> steps = placed(rounds(*make_schedule(x, p)), places);
  for (const Messages& step : steps) survey.add(step);
  // Reductions count dense bytes; links count compressed bytes.
  const double merge = x.merge_bandwidth ? 1 / x.merge_bandwidth->value() : 0;
  const LinkParameters link{survey.alpha() + layout.beside_data(survey.beta()), survey.beta(),
                            lists ? merge : slowest_gamma(layout, places)};

  const auto [name, formula, source] = recipe.texts(x, p);
  ExchangeForm form{name, formula, source, {}, {}, {}, {}, {}, {}, {}, 1};
  const auto cost = [&recipe, x, p](std::int64_t elements, const LinkParameters& at) {
    return recipe.time(x, p, elements, at);
  };
  const Together alone{survey.alpha(), survey.beta(), survey.beta(), {1, 1, {}}};
  form.cost = [&recipe, cost, link, training, alone, &layout, p, lists](const Load& load) {
    const CompressionSpec& codec = training.compression;
    const auto message = [&](std::int64_t n) {
      return messages_together(layout, {n, load.ratio, load.width}, codec.encodes(false), alone);
    };
    // A list entry has an index and a value.
    const double times = lists ? topk_list_bytes(1, load.width) / topk_list_bytes(1) : load.times_narrow();
    const LinkParameters compressed = LinkParameters{link.alpha, link.beta / load.ratio, link.gamma}.with_bytes(times);
    const Moment exchange = codec.in_nic() ? path_of_messages(recipe, p, load.elements, link.gamma, message)
                                           : cost(load.elements, compressed);
    return exchange + message_costs(training, cost(load.elements, {1, 0, 0}).alpha,
                                    cost(load.elements, {0, times, 0}).beta, element_bytes * times);
  };

  form.assumptions.push_back(links_alike(survey));
  form.assumptions.push_back(links_exclusive(survey));
  const bool in_step = is_power_of_two(p) || recipe.keeps_step;
  if (!in_step) form.assumptions.push_back(links_ordered(survey));
  if (!lists) form.assumptions.push_back(reducers_alike(layout.platform, places));
  add_cut_assumptions(form, layout, recipe);
  if (training.compression.in_nic()) {
    form.assumptions.push_back(engines_exclusive(layout, steps, in_step));
    form.assumptions.push_back(assume(AssumptionId::blocks_whole, "blocks travel whole", x.pieces == 1,
                                      fmt::format("they travel in {} pieces", x.pieces)));
  }
  if (message_costs(training, 1, 1, 1).time > 0)
    form.assumptions.push_back(assume(AssumptionId::message_costs_in_step, "per-message costs meet in every step",
                                      in_step && x.pieces == 1,
                                      in_step ? fmt::format("blocks travel in {} pieces, and the work on one piece "
                                                            "overlaps the transfer of the next",
                                                            x.pieces)
                                              : "they move the ranks of this exchange apart from one another"));
  return form;
}

} // namespace gradflight
