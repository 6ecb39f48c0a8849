// Which critical path counts if several reach one instant.
#pragma once

#include "sim/engine/network/delays.hpp"

#include <numeric>

namespace gradflight {

struct PathTies {
  bool equal = false; ///< a link changed after the start: a faster link may then gain more than its delays

  /// Returns whether the first one of two paths that reach one instant is preferred because it says more (more_even).
  [[nodiscard]] bool prefer(const TracedPath& path, const TracedPath& other) const {
    return !equal && more_even(path.held, other.held);
  }
  /// The same, where the first path may have reached its end before `instant` (s, since the beginning of the run).
  [[nodiscard]] bool prefer_at(double instant, const TracedPath& path, const TracedPath& other) const {
    return prefer(path, other) && same_instant(std::accumulate(path.begin(), path.end(), 0.0), instant);
  }
};

} // namespace gradflight
