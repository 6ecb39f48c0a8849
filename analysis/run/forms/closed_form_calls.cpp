// Forms of exchanges that are calls of their row's all_reduce: the form of that all_reduce, with the links that
// its messages use. That form assumes one port per rank into a switch without contention.
#include "analysis/run/forms/call_links.hpp"
#include "analysis/run/forms/closed_form_exchange.hpp"
#include "models/schedules/make_schedule.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/group/plain_group.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {
namespace {

/// The call for one bucket, and its form.
class CallForms {
public:
  explicit CallForms(const PhaseLayout& layout)
      : row_(collective(layout.training.exchange.algorithm)), places_(worker_places(layout)),
        group_size_(layout.scenario.platform.gpus_per_node), between_ranks_(links_between(layout.platform, places_, 1)),
        encodes_(layout.training.compression.encodes(false)),
        used_(call_links(row_, spec({layout.buckets.front().elements}), layout.platform, places_).value()) {
    if (const auto& beside = layout.scenario.platform.message_bytes) used_.links.add_message_bytes(beside->value());
  }

  /// The same specification as in JobCalls.
  [[nodiscard]] GroupSpec spec(const Load& load) const {
    FormLinks links = between_ranks_;
    links.element_bytes = load.width / ratio(load);
    return plain_spec(row_, Operation::all_reduce, load.elements, static_cast<int>(places_.size()), group_size_, links);
  }
  /// Reductions count dense bytes; links count compressed bytes.
  [[nodiscard]] GroupFormResult form(const Load& load) const {
    FormLinks links = used_.links;
    links.element_bytes = load.width;
    links.link.beta /= ratio(load);
    links.inside.beta /= ratio(load);
    return group_form(row_, spec(load), links);
  }
  /// Returns what the form assumes of the ranks and of the links that messages use.
  [[nodiscard]] const std::vector<Assumption>& about_platform() const { return used_.assumptions; }

private:
  [[nodiscard]] double ratio(const Load& load) const { return encodes_ ? load.ratio : 1; }
  const Collective& row_;
  std::vector<std::int32_t> places_;
  int group_size_;
  FormLinks between_ranks_; ///< the slowest ones; they determine the chunk
  bool encodes_;
  CallLinks used_;
};

/// Adds the conditions of the form for this bucket's call, unless an earlier bucket violated them.
void add_conditions(std::vector<Assumption>& assumptions, const GroupForm& form, const Bucket& bucket) {
  const auto add = [&](std::string_view text, bool holds) {
    const auto same = std::ranges::find(assumptions, text, &Assumption::text);
    if (same != assumptions.end() && !same->holds) return;
    Assumption assumption = assume(AssumptionId::operation_form, std::string(text), holds,
                                   fmt::format("'{}' has {} elements", bucket.name, bucket.elements));
    if (same == assumptions.end())
      assumptions.push_back(std::move(assumption));
    else
      *same = std::move(assumption);
  };
  for (const FormCondition& condition : form.conditions) add(condition.text, condition.holds);
  add("the form is exact, not a bound", !form.bound);
}

} // namespace

ExchangeFormAnswer call_form(const PhaseLayout& layout) {
  const TrainingSpec& training = layout.training;
  const CallForms calls(layout);
  ExchangeForm form;
  bool together = true;
  for (std::size_t b = 0; b < layout.buckets.size(); ++b) {
    const GroupFormResult result = calls.form(layout.load(b, 1));
    if (const auto* none = std::get_if<NoForm>(&result))
      return {std::nullopt, std::string("no closed form: ") + none->why};
    const GroupForm& own = std::get<GroupForm>(result);
    if (b == 0) {
      form.name = own.name;
      form.formula = own.formula;
      form.source = own.source;
    }
    add_conditions(form.assumptions, own, layout.buckets[b]);
    together = together && own.ends_together;
  }
  form.cost = [calls](const Load& load) { return Moment::exchanging(std::get<GroupForm>(calls.form(load)).cost); };
  const std::vector<Assumption>& about = calls.about_platform();
  form.assumptions.insert(form.assumptions.end(), about.begin(), about.end());
  form.assumptions.push_back(assume(AssumptionId::ranks_end_together,
                                    "all ranks end an exchange together, or nothing follows it",
                                    together || layout.single_exchange || training.exchange.barrier,
                                    "ranks that end early begin the next exchange before the others"));
  return {std::move(form), {}};
}

} // namespace gradflight
