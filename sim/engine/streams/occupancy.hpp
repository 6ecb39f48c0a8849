// Until when a resource of a rank is busy, and the critical path up to then.
#pragma once

#include "sim/engine/network/delays.hpp"

#include <memory>

namespace gradflight {

class Occupancy {
public:
  [[nodiscard]] double until() const { return until_; }
  /// A work that ends at `until`, on `path`, follows all earlier ones.
  void add(double until, const TracedPath& path) {
    until_ = until;
    if (path_)
      *path_ = path;
    else
      path_ = std::make_unique<TracedPath>(path);
  }
  /// The critical path up to until(); null before the first work.
  [[nodiscard]] TracedPath* path() { return path_.get(); }

private:
  double until_ = 0;
  std::unique_ptr<TracedPath> path_; ///< few ranks use all resources
};

} // namespace gradflight
