// The settings of an exchange: its collective and the collective's parameters. Values, with every default explicit.
#pragma once

#include "models/units/units.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gradflight {

struct WrittenSchedule;

/// The index of a row of the catalogue (collective.hpp). Rows that code or tests refer to have a name here.
enum class Algorithm : std::uint8_t {
  parameter_server,
  ring,
  recursive_doubling,
  halving_doubling,
  binomial_tree,
  hierarchical,
  topk_allgather,
  gtopk,
  sharded,
  blocking_ring
};

/// Algorithm that gathers lists, or blocks: recursive doubling (Bruck's algorithm unless p = 2^k), or a ring.
enum class AllGather { recursive_doubling, ring };
/// Algorithm that sums blocks on the ranks that keep them: a ring, or the reverse of a doubling all-gather.
enum class ReduceScatter { ring, recursive_halving };

enum class Consistency { synchronous, asynchronous, bounded_staleness };
enum class Pull { flat, binomial };
enum class PullAt { once, first_use }; ///< pull as soon as pushed and updated, or when the next forward pass needs it

/// How a group sends its sum to its master, and how the master sends the result back.
enum class GroupReduce {
  ring,
  flat,
  binomial,
  allreduce
};                                                  ///< ring: reduce-scatter, then gather to the master;
                                                    ///< allreduce: the ring of INCEPTIONN Fig. 1 b, c
enum class GroupBroadcast { flat, binomial, ring }; ///< ring: scatter, then all-gather ring
struct HierarchyLevel {
  int group_size = 0; ///< members of a group of this level, >= 1; the last group may be smaller
  GroupReduce reduce = GroupReduce::ring;
  GroupBroadcast broadcast = GroupBroadcast::binomial;
  bool dedicated = false; ///< the master is a separate aggregator node, not a member
};

/// What ranks keep only a shard of, and when they gather the rest (ZeRO's stages, FSDP); all_gather, pull_at and top
/// come from the exchange.
struct ShardedSpec {
  int stage = 3; ///< 1: optimiser state; 2: and gradients; 3: and parameters
  ReduceScatter reduce_scatter = ReduceScatter::ring;
  std::optional<Algorithm> library{}; ///< the library that scatters and gathers; absent: reduce_scatter, all_gather
  int group_size = 0;                 ///< number of ranks that share the shards (hybrid sharding); 0: all
  int prefetch = 1;                   ///< stage 3: number of vectors gathered ahead of the one in use
  bool reshard_after_forward = true;  ///< stage 3: parameters are freed after the forward pass and gathered again
  bool no_sync = false;               ///< stages 2 and 3: gradients are accumulated whole, and scattered once a step
};

struct ExchangeSpec {
  Algorithm algorithm = Algorithm::ring;
  std::shared_ptr<const WrittenSchedule> written{}; ///< for written_algorithm(); else null
  bool barrier = false;                             ///< no worker sends data of an exchange before all have reached it
  int pieces = 1; ///< ring: blocks travel in pieces, reduced while the next is under way (Pipe-SGD Fig. 3)
  // for parameter_server:
  int servers = 1;
  bool colocated = false; ///< server i lives on rank i's place
  Pull pull = Pull::flat;
  PullAt pull_at = PullAt::once;
  Consistency consistency = Consistency::synchronous;
  int staleness_bound = 0; ///< bounded_staleness: how many iterations a worker may be ahead of the slowest
  int backup_workers = 0;  ///< synchronous: the server continues after workers - backup_workers gradients
  // for hierarchical, leaves first:
  std::vector<HierarchyLevel> levels{};
  Algorithm top = Algorithm::ring; ///< among the masters of the last level
  // for lists:
  double density = 0.001;
  std::optional<ByteRate> merge_bandwidth{};            ///< absent: merges are free
  AllGather all_gather = AllGather::recursive_doubling; ///< topk_allgather, sharded
  ShardedSpec sharded{};
};

} // namespace gradflight
