// A decoded scenario: everything a run needs, every default explicit, nothing left to look up.
#pragma once

#include "platforms/code/change_spec.hpp"
#include "platforms/code/spec.hpp"
#include "scenarios/language/types/training.hpp"
#include "workloads/code/workload.hpp"

#include <cstdint>
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

/// A TCP flow beside the job that always has something to send: it takes its max-min share of every link on its way.
struct TrafficSpec {
  std::string name{};
  int from = 0, to = 0; ///< nodes, servers' included; different
};

struct Limits {
  static constexpr std::int64_t messages_unless_said = 10'000'000'000;
  std::optional<std::int64_t> messages{};  ///< to simulate one by one; a scenario with more is refused
  std::optional<Seconds> simulated_time{}; ///< the run fails (exit 3) beyond it
  std::optional<Seconds> wall_time{};      ///< likewise, of the computer's clock
};

struct Scenario {
  std::string name; ///< `name`, or the file's base name
  std::string description;
  PlatformSpec platform;
  Workload workload;
  std::vector<Phase> phases; ///< warm-up phases in order, then the main phase (name "main") last; at least one
  Placement placement = Placement::linear;
  EngineSpec engine;
  std::vector<TrafficSpec> traffic; ///< from the start to the end of the run
  std::vector<ChangeSpec> changes;  ///< in order of time
  Limits limits;
  std::vector<Expectation> expect;

  /// Workers: one for each GPU of the platform.
  [[nodiscard]] int workers() const { return platform.nodes * platform.gpus_per_node; }
};

} // namespace gradflight
