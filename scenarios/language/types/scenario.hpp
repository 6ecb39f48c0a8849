// A decoded scenario: everything a run needs, every default explicit, nothing left to look up.
#pragma once

#include "platforms/code/spec.hpp"
#include "scenarios/language/types/training.hpp"
#include "workloads/code/workload.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// What a golden scenario promises (`regress`).
struct Expectation {
  std::string quantity;
  double value = 0, tolerance = 0; ///< tolerance: relative
  std::string why;
};

struct Limits {
  std::optional<Seconds> simulated_time{}; ///< the run fails (exit 3) beyond it
};

struct Scenario {
  std::string name; ///< `name`, or the file's base name
  std::string description;
  PlatformSpec platform;
  Workload workload;
  std::vector<Phase> phases; ///< warm-up phases in order, then the main phase (name "main") last; at least one
  Placement placement = Placement::linear;
  EngineSpec engine;
  Limits limits;
  std::vector<Expectation> expect;

  /// Workers: one for each GPU of the platform.
  [[nodiscard]] int workers() const { return platform.nodes * platform.gpus_per_node; }
};

} // namespace gradflight
