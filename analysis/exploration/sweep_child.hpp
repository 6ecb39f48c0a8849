// One point of a sweep in a process of its own: built, simulated, held against its closed form, and reduced to the
// quantities that the sweep keeps.
#pragma once

#include "analysis/exploration/sweep_quantities.hpp"
#include "analysis/exploration/sweep_records.hpp"
#include "analysis/runs/forked_work.hpp"

namespace gradflight {

class PointChild {
public:
  /// `point` must be valid; `columns` outlives the child.
  PointChild(SweepPoint point, const std::vector<QuantityColumn>& columns, const ForkLimits& limits);

  [[nodiscard]] ForkedWork& work() { return work_; }
  /// Call once the child has closed its end, or to end it for the limit on its time.
  SweepRecord finish(bool out_of_time);

private:
  SweepPoint point_;
  ForkLimits limits_;
  ForkedWork work_;
};

} // namespace gradflight
