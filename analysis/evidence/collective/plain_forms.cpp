#include "analysis/evidence/collective/plain_forms.hpp"

#include "sim/group/plain_group.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// A tenth of a second per schedule, for all sizes of a table together. A ring of 724 ranks has as many steps.
constexpr CallLinksLimit limit{std::int64_t{1} << 20, std::int64_t{1} << 17};

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

void PlainForms::fill(const Collective& algorithm, const GroupSpec& spec, CollectiveRow& row) {
  if (const auto found = form(algorithm, spec)) row.closed_form_us = found->cost.total() * 1e6;
}

} // namespace gradflight
