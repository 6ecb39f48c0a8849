// One simulation in a process of its own, for its time alone.
#pragma once

#include "analysis/runs/forked_work.hpp"
#include "sim/result/result.hpp"

#include <string>

namespace gradflight {
class Platform;
struct Scenario;
} // namespace gradflight

namespace gradflight {

struct ChildAnswer {
  bool finished = false;
  RunResult result;    ///< where finished
  std::string message; ///< where not: what failed
};

class SimulationChild {
public:
  /// Forks. No SimGrid object may exist in this process.
  SimulationChild(const Scenario& scenario, const Platform& platform);

  [[nodiscard]] int descriptor() const { return work_.descriptor(); }
  /// Reads what there is, blocking for the first byte. True when the child has closed its end.
  bool read_some() { return work_.read_some(); }
  /// Reaps the child; call once, after read_some returned true.
  ChildAnswer finish();

private:
  ForkedWork work_;
};

} // namespace gradflight
