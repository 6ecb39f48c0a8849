#include "models/schedules/operations/parts/group_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gradflight {

namespace {

/// Returns the number of counts that `each` has for this operation; 0: it has none.
std::size_t counts_of_each(const GroupSpec& spec) {
  const auto ranks = static_cast<std::size_t>(spec.ranks);
  if (spec.op == Operation::alltoall) return ranks * ranks;
  return counts_blocks(spec.op) ? ranks : 0;
}

} // namespace

std::vector<std::string> problems(const GroupSpec& spec) {
  std::vector<std::string> found;
  if (spec.ranks < 1) {
    found.push_back(fmt::format("the group has {} ranks; expected at least 1", spec.ranks));
    return found;
  }
  if (has_root(spec.op) && (spec.root < 0 || spec.root >= spec.ranks))
    found.push_back(
        fmt::format("the root of {1} ranks is {0}; expected 0 to {2}", spec.root, spec.ranks, spec.ranks - 1));
  if (spec.counts.elements < 0)
    found.push_back(fmt::format("the group has {} elements; expected at least 0", spec.counts.elements));
  if (spec.op == Operation::barrier && spec.counts.elements > 0)
    found.push_back(fmt::format("the barrier has {} elements; expected none", spec.counts.elements));
  if (!spec.counts.each.empty()) {
    const std::size_t wanted = counts_of_each(spec);
    if (wanted == 0)
      found.push_back(fmt::format("{} has no blocks of different sizes", operation_name(spec.op)));
    else if (spec.counts.each.size() != wanted)
      found.push_back(fmt::format("{1} of {2} ranks has {0} counts; expected {3}", spec.counts.each.size(),
                                  operation_name(spec.op), spec.ranks, wanted));
    if (std::ranges::any_of(spec.counts.each, [](std::int64_t count) { return count < 0; }))
      found.emplace_back("a block has fewer than 0 elements");
  }
  if (spec.chunk < 0)
    found.push_back(fmt::format("a chunk has {} elements; expected at least 1, or 0 for one chunk", spec.chunk));
  if (spec.group_size < 1) found.push_back(fmt::format("a node has {} ranks; expected at least 1", spec.group_size));
  return found;
}

} // namespace gradflight
