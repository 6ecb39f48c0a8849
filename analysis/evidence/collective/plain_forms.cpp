#include "analysis/evidence/collective/plain_forms.hpp"

#include "sim/group/plain_group.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// A tenth of a second per schedule, for all sizes of a table together. A ring of 724 ranks has as many steps.
constexpr CallLinksLimit limit{std::int64_t{1} << 20, std::int64_t{1} << 17};

/// Whether a call without this assumption is never faster than with it.
bool only_delays(const Assumption& assumption) {
  return assumption.id == AssumptionId::links_ordered || assumption.id == AssumptionId::no_protocol;
}

} // namespace

PlainForms::PlainForms(const CollectiveGroup& group, int element_size)
    : group_(group), between_ranks_(links_between(group.platform, group.places, element_size)) {}

const std::optional<CallLinks>& PlainForms::links_of(const Collective& algorithm, const GroupSpec& spec) {
  const auto same = std::ranges::find_if(known_, [&](const Known& known) {
    return known.algorithm == &algorithm && known.spec.op == spec.op && known.spec.root == spec.root &&
           known.spec.group_size == spec.group_size;
  });
  if (same != known_.end()) return same->links;
  known_.push_back({&algorithm, spec, call_links(algorithm, spec, group_.platform, group_.places, limit)});
  return known_.back().links;
}

std::optional<GroupForm> PlainForms::form(const Collective& algorithm, const GroupSpec& spec) {
  FormLinks links = between_ranks_;
  if (const auto& used = links_of(algorithm, spec)) {
    links = used->links;
    links.element_bytes = between_ranks_.element_bytes;
  }
  if (const auto& beside = group_.spec.message_bytes) links.add_message_bytes(beside->value());
  GroupFormResult result = group_form(algorithm, spec, links);
  if (auto* form = std::get_if<GroupForm>(&result)) return std::move(*form);
  return std::nullopt;
}

bool PlainForms::links_shared(const Collective& algorithm, const GroupSpec& spec) {
  const auto& used = links_of(algorithm, spec);
  return used && std::ranges::any_of(used->assumptions, [](const Assumption& assumption) {
           return assumption.id == AssumptionId::links_ordered && !assumption.holds;
         });
}

void PlainForms::fill(const Collective& algorithm, const GroupSpec& spec, CollectiveRow& row) {
  const auto found = form(algorithm, spec);
  if (!found) return;
  row.closed_form_us = found->cost.total() * 1e6;
  const auto add = [&](const Assumption& assumption) {
    if (!assumption.holds) row.form_fails.push_back(assumption);
  };
  for (const FormCondition& condition : found->conditions)
    add({AssumptionId::operation_form, std::string(condition.text), condition.holds, {}});
  if (const auto& used = links_of(algorithm, spec))
    for (const Assumption& assumption : used->assumptions) add(assumption);
  add({AssumptionId::no_protocol, "a message costs only alpha and its bytes", !group_.spec.protocol,
       group_.spec.protocol ? "platform.protocol has more costs" : ""});
  row.form_is_bound = found->bound && std::ranges::all_of(row.form_fails, only_delays);
}

} // namespace gradflight
