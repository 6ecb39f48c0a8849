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
    found.push_back(fmt::format("a group of {} ranks; at least 1", spec.ranks));
    return found;
  }
  if (has_root(spec.op) && (spec.root < 0 || spec.root >= spec.ranks))
    found.push_back(fmt::format("root {} of {} ranks; 0 to {}", spec.root, spec.ranks, spec.ranks - 1));
  if (spec.counts.elements < 0) found.push_back(fmt::format("{} elements; at least 0", spec.counts.elements));
  if (spec.op == Operation::barrier && spec.counts.elements > 0)
    found.push_back(fmt::format("a barrier of {} elements; it has none", spec.counts.elements));
  if (!spec.counts.each.empty()) {
    const std::size_t wanted = counts_of_each(spec);
    if (wanted == 0)
      found.push_back(fmt::format("{} has no blocks of different sizes", operation_name(spec.op)));
    else if (spec.counts.each.size() != wanted)
      found.push_back(fmt::format("{} counts for {} of {} ranks; {}", spec.counts.each.size(), operation_name(spec.op),
                                  spec.ranks, wanted));
    if (std::ranges::any_of(spec.counts.each, [](std::int64_t count) { return count < 0; }))
      found.emplace_back("a block with fewer than 0 elements");
  }
  if (spec.chunk < 0) found.push_back(fmt::format("chunks of {} elements; at least 1, or 0 for one chunk", spec.chunk));
  if (spec.group_size < 1) found.push_back(fmt::format("nodes of {} ranks; at least 1", spec.group_size));
  return found;
}

} // namespace gradflight
