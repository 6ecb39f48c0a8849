// What the streams of a sharded exchange do in a step, in order, and their dependencies (ZeRO-1, -2, -3, FSDP).
//
// A step has one round for each mini-batch. A worker's computation signals when a round begins, when each pass of a
// layer has ended (forward 0 .. L-1, backward L-1 .. 0), and in stages 1 and 2 when it has updated its shard. Tasks
// await a number of these signals. A stream starts them in that order, gathers before scatters, because passes wait for
// gathers:
//   scatter of a vector   after the backward pass of its first layer (without overlap: after all backward passes); in
//                         every round, or only in the last (stage 1, no_sync)
//   gather, stage 3       before its layers' forward passes, and again before their backward passes unless parameters
//                         are kept. It starts when the computation reaches what needs the vector `prefetch` earlier, in
//                         the same round, but not before the vector's last use has ended. Gathers keep the order of use
//   gather, stages 1, 2   after the update of the shard, in the order of the next forward pass
#pragma once

#include "models/schedules/parts/schedule.hpp"
#include "scenarios/language/types/training.hpp"
#include "workloads/code/buckets.hpp"

#include <vector>

namespace gradflight {

/// An exchange of one bucket (or one leg of it), in the order in which a rank's streams start them.
struct Task {
  int bucket = 0;
  const Schedule* schedule = nullptr;
  bool first_leg = true,
       last_leg = true;    ///< with separate push and pull: the push awaits the gradients, the pull brings the result
  std::int64_t awaits = 0; ///< number of the computation's signals to await within the round; 0: none
  bool parameters = false; ///< it gathers parameters
};

struct ShardedTasks {
  /// `legs`: scatter and gather. `layers`: of the workload.
  ShardedTasks(const TrainingSpec& training, const std::vector<Bucket>& buckets, int layers, const Schedule* scatter,
               const Schedule* gather);

  /// Wait until a stream has ended its first `count` tasks of a round.
  struct Wait {
    int stream = 0;
    std::int64_t count = 0;
  };
  /// The tasks of a mini-batch.
  struct Round {
    std::vector<std::vector<Task>> tasks;      ///< per stream, in order
    std::vector<std::vector<Wait>> before;     ///< per pass: the gathers it needs (stage 3)
    std::vector<Wait> scattered;               ///< waits for all tasks but the gathers of updated parameters
    std::vector<Wait> gathered;                ///< waits for all tasks
    std::vector<std::vector<Wait>> first_uses; ///< per layer: waits for its updated parameters (stages 1, 2)
  };
  Round each, last;                                       ///< of each mini-batch but the last; of the last
  std::int64_t signals_in_round = 0, signals_in_step = 0; ///< of a worker's computation
};

} // namespace gradflight
