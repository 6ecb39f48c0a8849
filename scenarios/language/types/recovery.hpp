// The recovery from failures, as given in a scenario.
#pragma once

#include "models/units/units.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gradflight {

enum class RecoveryPolicy {
  wait,    ///< bytes in transit wait for the repair and then continue
  resend,  ///< messages are lost, and sent again on the same route
  reroute, ///< messages are lost, and sent again on another route
  restart  ///< the job restarts from its last checkpoint
};

struct CheckpointSpec {
  std::int64_t every_iterations = 0; ///< >= 1; 0: `every_time` applies
  /// > 0: a checkpoint follows the first iteration that ends this long after the last checkpoint
  std::optional<Seconds> every_time{};
  std::optional<Seconds> write{}, read{}; ///< duration of a checkpoint; absent: `bytes` go through the network
  std::optional<Bytes> bytes{};           ///< size of a checkpoint; every rank writes and reads an equal part
  std::vector<int> to{};                  ///< storage nodes, with numbers after the platform's nodes and servers
  bool asynchronous = false;              ///< written while the job continues
};

struct RecoverySpec {
  RecoveryPolicy policy = RecoveryPolicy::wait;
  std::optional<CheckpointSpec> checkpoint{}; ///< absent: a job restarts from its beginning
  Seconds detection{};                        ///< time from a failure to its detection
  Seconds restart{};                          ///< time to start the job again, before it reads its checkpoint
  int spares = 0;                             ///< number of spare nodes
  std::optional<int> least_nodes{}; ///< the job continues with fewer nodes, at least this many; absent: it does not
};

} // namespace gradflight
