#include "models/schedules/operations/parts/group_spec.hpp"

#include <fmt/format.h>

namespace gradflight {

std::vector<std::string> problems(const GroupSpec& spec) {
  std::vector<std::string> found;
  if (spec.ranks < 1) {
    found.push_back(fmt::format("the group has {} ranks; expected at least 1", spec.ranks));
    return found;
  }
  if (has_root(spec.op) && (spec.root < 0 || spec.root >= spec.ranks))
    found.push_back(
        fmt::format("the root of {1} ranks is {0}; expected 0 to {2}", spec.root, spec.ranks, spec.ranks - 1));
  if (spec.elements < 0) found.push_back(fmt::format("the group has {} elements; expected at least 0", spec.elements));
  if (spec.op == Operation::barrier && spec.elements > 0)
    found.push_back(fmt::format("the barrier has {} elements; expected none", spec.elements));
  if (spec.chunk < 0)
    found.push_back(fmt::format("a chunk has {} elements; expected at least 1, or 0 for one chunk", spec.chunk));
  if (spec.group_size < 1) found.push_back(fmt::format("a node has {} ranks; expected at least 1", spec.group_size));
  return found;
}

} // namespace gradflight
