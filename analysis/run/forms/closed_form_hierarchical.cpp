// The form of a hierarchy: the reduction in each level, the exchange among the last masters, and the broadcast in each
// level. Each phase uses its own links.
#include "analysis/run/forms/closed_form_exchange.hpp"

#include "models/forms/form_collectives.hpp"
#include "models/schedules/algorithms/hierarchical.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {
namespace {

/// The messages of one part of a level's work, from its schedule, between places.
struct LevelSteps {
  const HierarchyLayout& layout;
  const std::vector<int>& places; ///< places of all participants
  std::size_t number;

  [[nodiscard]] const HierarchyLayout::Level& level() const { return layout.levels[number]; }
  [[nodiscard]] std::vector<Messages> messages(GroupPart part) const {
    return placed(rounds(HierarchyPart(layout, number, part)), places);
  }
  [[nodiscard]] int size() const { return level().size(); }
  [[nodiscard]] int tree_nodes() const { return level().spec.dedicated ? size() + 1 : size(); }
};

/// A form under construction: it adds costs and collects assumptions.
class Builder {
public:
  Builder(const PhaseLayout& layout, ExchangeForm& form, double gamma)
      : layout_(layout), form_(form), gamma_(gamma), all_(layout.platform) {}

  using Phase = std::function<Moment(std::int64_t)>;
  std::vector<Phase> phases;

  /// The messages of every step use separate links; returns their costs.
  LinkParameters exclusive(const std::vector<Messages>& steps, const std::string& where) {
    RouteSurvey survey(layout_.platform);
    for (const Messages& step : steps) {
      survey.add(step);
      all_.add(step);
    }
    form_.assumptions.push_back(links_alike(survey, "links of " + where));
    form_.assumptions.push_back(links_exclusive(survey, "link of " + where));
    return {survey.alpha() + layout_.beside_data(survey.beta()), survey.beta(), gamma_};
  }
  /// Many messages to or from one place: returns alpha, and seconds per byte of one message.
  LinkParameters together(const Messages& step, const std::string& where) {
    RouteSurvey survey(layout_.platform);
    survey.add(step);
    form_.assumptions.push_back(assume(AssumptionId::latencies_alike, "latencies of " + where + " alike",
                                       survey.unlike_alpha().empty(), survey.unlike_alpha()));
    form_.assumptions.push_back(assume(AssumptionId::links_even,
                                       "messages of " + where + " share their links evenly and end together",
                                       survey.load().even, survey.load().uneven));
    const double beta = survey.load().seconds_per_byte;
    return {survey.alpha() + layout_.beside_data(beta), beta, gamma_};
  }
  void needs_divisor(int divisor, const char* symbol) {
    if (divisor > 1) form_.assumptions.push_back(divisible(layout_, divisor, symbol, false));
  }
  /// A tree or fold over `nodes` ranks: some ranks run ahead, unless the number is a power of two.
  void tree_over(int nodes) { in_step_ = in_step_ && is_power_of_two(nodes); }
  void finish() {
    if (!in_step_) form_.assumptions.push_back(links_ordered(all_));
  }
  /// Messages to a master start as soon as possible. So members that leave early change the sharing of its link.
  void leaves_together(int nodes, const std::string& where) {
    const std::vector<HierarchyLevel>& levels = layout_.training.exchange.levels;
    const bool gathers =
        std::any_of(levels.begin(), levels.end(), [](const auto& l) { return l.reduce == GroupReduce::flat; });
    if (gathers && !layout_.single_exchange)
      form_.assumptions.push_back(assume(AssumptionId::power_of_two, where + " spans a power of two",
                                         is_power_of_two(nodes),
                                         fmt::format("{} nodes: some are done early and go on", nodes)));
  }

private:
  const PhaseLayout& layout_;
  ExchangeForm& form_;
  double gamma_;
  RouteSurvey all_; ///< survey of all phases
  bool in_step_ = true;
};

std::int64_t block_of(std::int64_t elements, int k) { return (elements + k - 1) / k; }

void add_up(Builder& build, const LevelSteps& steps) {
  const HierarchyLevel& spec = steps.level().spec;
  const std::string where = fmt::format("level {} up", steps.number);
  const int k = steps.size();
  if (spec.reduce == GroupReduce::binomial) {
    const LinkParameters link = build.exclusive(steps.messages(GroupPart::up), where);
    build.tree_over(steps.tree_nodes());
    build.phases.push_back([=, nodes = steps.tree_nodes(), first = spec.dedicated](std::int64_t n) {
      return Moment::exchanging(first ? reduce_binomial_to_aggregator(nodes, dense_bytes(n), link)
                                      : reduce_binomial(nodes, dense_bytes(n), link));
    });
    return;
  }
  if (const std::vector<Messages> around = steps.messages(GroupPart::ring_up); !around.empty()) {
    const LinkParameters ring = build.exclusive(around, where + "'s ring");
    const bool all = spec.reduce == GroupReduce::allreduce;
    build.needs_divisor(k, "the group size");
    build.phases.push_back([=](std::int64_t n) {
      const double block = dense_bytes(block_of(n, k));
      return Moment::exchanging(all ? allreduce_ring_blocks(k, block, ring)
                                    : cost_of(ring, k - 1, (k - 1) * block, (k - 1) * block));
    });
  }
  const std::vector<Messages> gather = steps.messages(GroupPart::up);
  if (gather.empty()) return;
  const bool whole = spec.reduce == GroupReduce::flat;
  const LinkParameters link = build.together(gather.front(), where);
  build.phases.push_back([=](std::int64_t n) {
    const double bytes = dense_bytes(whole ? n : block_of(n, k));
    return Moment::exchanging(cost_of(link, 1, bytes, whole ? (k - 1) * bytes : 0));
  });
}

void add_down(Builder& build, const LevelSteps& steps) {
  const HierarchyLevel& spec = steps.level().spec;
  const std::string where = fmt::format("level {} down", steps.number);
  const int k = steps.size();
  const std::vector<Messages> away = steps.messages(GroupPart::down);
  if (steps.level().informed || away.empty()) return;
  if (spec.broadcast == GroupBroadcast::binomial) {
    const LinkParameters link = build.exclusive(away, where);
    build.tree_over(steps.tree_nodes());
    build.leaves_together(steps.tree_nodes(), where);
    build.phases.push_back([=, nodes = steps.tree_nodes()](std::int64_t n) {
      return Moment::exchanging(broadcast_binomial(nodes, dense_bytes(n), link));
    });
    return;
  }
  const bool scatter = spec.broadcast == GroupBroadcast::ring;
  const LinkParameters link = build.together(away.front(), where);
  build.phases.push_back([=](std::int64_t n) {
    return Moment::exchanging(cost_of(link, 1, dense_bytes(scatter ? block_of(n, k) : n), 0));
  });
  const std::vector<Messages> around = steps.messages(GroupPart::ring_down);
  if (around.empty()) return;
  const LinkParameters ring = build.exclusive(around, where + "'s ring");
  build.needs_divisor(k, "the group size");
  build.phases.push_back([=](std::int64_t n) {
    return Moment::exchanging(cost_of(ring, k - 1, (k - 1) * dense_bytes(block_of(n, k)), 0));
  });
}

/// Adds the exchange among the last masters, with the form of its catalogue row.
struct TopForm {
  Builder& build;
  const std::vector<int>& masters;
  Algorithm top;

  void operator()(const NoForm&) const {
    throw std::logic_error("the top algorithm of a hierarchy has no closed form");
  }
  void operator()(GroupsForm) const { throw std::logic_error("the top of a hierarchy must not be a hierarchy"); }
  void operator()(CallForm) const { throw std::logic_error("the top of a hierarchy must not be a library's call"); }
  void operator()(ShardedForm) const {
    throw std::logic_error("the top of a hierarchy must not be a sharded exchange");
  }
  void operator()(ServersForm) const {
    const int m = static_cast<int>(masters.size());
    const std::vector<Messages> steps = placed(rounds(*collective(top).among_masters(m)), masters);
    const LinkParameters up = build.together(steps.front(), "the top's gather");
    const LinkParameters down = build.together(steps.back(), "the top's send-back");
    build.phases.push_back([=](std::int64_t n) {
      return Moment::exchanging(cost_of(up, 1, dense_bytes(n), (m - 1) * dense_bytes(n)) +
                                cost_of(down, 1, dense_bytes(n), 0));
    });
  }
  void operator()(const StepsForm* recipe) const {
    const int m = static_cast<int>(masters.size());
    const LinkParameters link = build.exclusive(placed(rounds(*collective(top).among_masters(m)), masters), "the top");
    if (!recipe->keeps_step) build.tree_over(m);
    if (recipe->cut == Cut::blocks) build.needs_divisor(m, "the number of masters");
    if (recipe->cut == Cut::runs) build.needs_divisor(power_of_two_below(m), "the masters' power of two");
    build.phases.push_back([=](std::int64_t n) { return recipe->time({}, m, n, link); });
  }
};

} // namespace

ExchangeForm hierarchical_form(const PhaseLayout& layout) {
  const ExchangeSpec& x = layout.training.exchange;
  const HierarchyLayout hierarchy(layout.workers, x.levels);
  std::vector<int> places = worker_places(layout), masters;
  for (int helper = 0; layout.workers + helper < hierarchy.participants; ++helper)
    places.push_back(layout.helper_place(helper));
  for (int m = 0; m < hierarchy.masters.count; ++m)
    masters.push_back(places[static_cast<std::size_t>(hierarchy.masters.participant(m))]);
  const auto uneven = std::ranges::find_if(hierarchy.levels, [](const auto& level) { return !level.even(); });
  const bool equal = uneven == hierarchy.levels.end();
  const std::string unequal =
      equal ? ""
            : fmt::format("level {} cuts {} members into groups of {}", uneven - hierarchy.levels.begin(),
                          uneven->members.count, uneven->size());

  ExchangeForm form;
  form.name = "hierarchical_allreduce";
  form.formula = "sum over the levels up to the last masters, their all-reduce, sum over the levels down";
  form.source = "GradientFlow Sec. 2.4, Fig. 7 (b); INCEPTIONN Fig. 1; Thakur et al. 2005";
  form.assumptions.push_back(assume(AssumptionId::groups_equal, "groups of a level are equal", equal, unequal));
  form.assumptions.push_back(reducers_alike(layout.platform, places));
  Builder build(layout, form, slowest_gamma(layout, places));
  for (std::size_t l = 0; l < hierarchy.levels.size(); ++l) add_up(build, {hierarchy, places, l});
  if (masters.size() > 1) std::visit(TopForm{build, masters, x.top}, collective(x.top).form);
  for (std::size_t l = hierarchy.levels.size(); l-- > 0;) add_down(build, {hierarchy, places, l});
  build.finish();
  add_no_message_costs(form, layout.training);
  if (layout.training.compression.placement)
    form.assumptions.push_back({AssumptionId::no_codec_time, "no codec takes time", false,
                                "the form has a codec's bytes, but neither its time nor a NIC's packets"});
  const std::vector<Assumption> proportion = weighs_in_proportion(layout);
  form.assumptions.insert(form.assumptions.end(), proportion.begin(), proportion.end());
  form.cost = [phases = std::move(build.phases)](const Load& load) {
    Moment sum;
    for (const auto& phase : phases) sum = sum + phase(load.elements);
    const double times = load.times_narrow();
    return Moment::exchanging({sum.alpha, sum.beta * times / load.ratio, sum.gamma * times});
  };
  return form;
}

} // namespace gradflight
