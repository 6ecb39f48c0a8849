// The exchange of sharded data parallelism (ZeRO: Rajbhandari et al. 2020; FSDP: Zhao et al. 2023) of one vector.
//
// Ranks form groups of F in order (F = p: one group). A vector is cut into F blocks; member i of each group keeps block
// i, its shard. Scatter: a reduce-scatter in each group; with several groups (hybrid sharding), also an all-reduce of
// each shard among the ranks that keep it, one per group. Gather: an all-gather in each group. The training decides who
// updates the shard in between, and when (sim/training/sharded_tasks.hpp).
#pragma once

#include "models/schedules/parts/exchange.hpp"
#include "models/schedules/parts/schedule.hpp"

#include <memory>

namespace gradflight {

/// Group membership: rank r is member r mod `members` of group r / `members`.
struct ShardGroups {
  int members = 1, groups = 1;
  /// Throws std::invalid_argument if workers cannot form groups of that size; it is at most their number.
  ShardGroups(const ShardedSpec& sharded, int workers);
};

enum class ShardedLeg { scatter, gather, both };
std::unique_ptr<Schedule> make_sharded(const ExchangeSpec& exchange, int workers, ShardedLeg leg);

} // namespace gradflight
