// One simulation in a process of its own: SimGrid's engine is global, so a process can run one (simgrid-notes.md).
#pragma once

#include "sim/result.hpp"

#include <string>
#include <sys/types.h>

namespace gradflight {
class Platform;
struct Scenario;
} // namespace gradflight

namespace gradflight::cli {

struct ChildAnswer {
  bool finished = false;
  RunResult result;    ///< where finished
  std::string message; ///< where not: what failed
};

class SimulationChild {
public:
  /// Forks. No SimGrid object may exist in this process.
  SimulationChild(const Scenario& scenario, const Platform& platform);
  ~SimulationChild();
  SimulationChild(SimulationChild&& other) noexcept;
  SimulationChild& operator=(SimulationChild&& other) noexcept;

  [[nodiscard]] int descriptor() const { return pipe_; }
  /// Reads what there is, blocking for the first byte. True when the child has closed its end.
  bool read_some();
  /// Reaps the child; call once, after read_some returned true.
  ChildAnswer finish();

private:
  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string received_;
};

} // namespace gradflight::cli
