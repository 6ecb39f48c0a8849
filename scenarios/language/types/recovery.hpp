// What a scenario says of what is done when things fail.
#pragma once

#include "models/units/units.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gradflight {

enum class RecoveryPolicy {
  wait,    ///< bytes under way wait for the repair and go on
  resend,  ///< messages are lost, and sent again by the same way
  reroute, ///< likewise, by another way
  restart  ///< the job starts again from its last checkpoint
};

struct CheckpointSpec {
  std::int64_t every_iterations = 0;   ///< >= 1; 0: `every_time` says it
  std::optional<Seconds> every_time{}; ///< > 0: after the first iteration that ends so long after the last checkpoint
  std::optional<Seconds> write{}, read{}; ///< how long a checkpoint takes; absent: `bytes` through the network
  std::optional<Bytes> bytes{};           ///< of a checkpoint; every rank writes and reads an equal part
  std::vector<int> to{};                  ///< storage nodes, numbered on after the platform's nodes and servers
  bool asynchronous = false;              ///< written while the job goes on
};

struct RecoverySpec {
  RecoveryPolicy policy = RecoveryPolicy::wait;
  std::optional<CheckpointSpec> checkpoint{}; ///< absent: a job starts again from its beginning
  Seconds detection{};                        ///< from a failure to when it is noticed
  Seconds restart{};                          ///< to start the job again, before it reads its checkpoint
  int spares = 0;                             ///< nodes that stand by
  std::optional<int> least_nodes{}; ///< the job goes on with fewer nodes, so many at least; absent: it does not
};

} // namespace gradflight
