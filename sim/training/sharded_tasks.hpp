// What the streams of a sharded exchange do in a step, in order, and what waits for what (ZeRO-1, -2, -3, FSDP).
//
// A step has one round for each mini-batch. A worker's computation signals as a round begins, when each pass of a layer
// has ended (forward 0 .. L-1, backward L-1 .. 0), and in stages 1 and 2 when it has updated its shard. Tasks await a
// number of these signals, and a stream takes them up in that order, gathers before scatters, as passes wait for
// gathers:
//   scatter of a vector   once the backward pass of its first layer has ended (without overlap: all backward passes);
//                         in every round, or only in the last (stage 1, no_sync)
//   gather, stage 3       before its layers' forward passes, and again before their backward passes unless parameters
//                         are kept: once the computation has come to what needs the vector `prefetch` earlier, in the
//                         same round, but not before the vector's last use has ended. Gathers keep the order of use
//   gather, stages 1, 2   once the shard is updated, in the order of the next forward pass
#pragma once

#include "models/schedules/parts/schedule.hpp"
#include "scenarios/language/types/training.hpp"
#include "workloads/code/buckets.hpp"

#include <vector>

namespace gradflight {

/// An exchange of one bucket (or one leg of it), in the order in which a rank's streams take them up.
struct Task {
  int bucket = 0;
  const Schedule* schedule = nullptr;
  bool first_leg = true,
       last_leg = true;    ///< push and pull apart: gradients are awaited by the push, the result comes with the pull
  std::int64_t awaits = 0; ///< so many signals of the computation within the round; 0: none
  bool parameters = false; ///< it gathers parameters
};

struct ShardedTasks {
  /// `legs`: scatter and gather. `layers`: of the workload.
  ShardedTasks(const TrainingSpec& training, const std::vector<Bucket>& buckets, int layers, const Schedule* scatter,
               const Schedule* gather);

  /// Until a stream has ended its first `count` tasks of a round.
  struct Wait {
    int stream = 0;
    std::int64_t count = 0;
  };
  /// A mini-batch's tasks.
  struct Round {
    std::vector<std::vector<Task>> tasks;      ///< per stream, in order
    std::vector<std::vector<Wait>> before;     ///< per pass: the gathers that it needs (stage 3)
    std::vector<Wait> scattered;               ///< all but the gathers of updated parameters
    std::vector<Wait> gathered;                ///< all
    std::vector<std::vector<Wait>> first_uses; ///< per layer: its updated parameters (stages 1, 2)
  };
  Round each, last;                                       ///< of each mini-batch but the last one; of that one
  std::int64_t signals_in_round = 0, signals_in_step = 0; ///< of a worker's computation
};

} // namespace gradflight
