// How a job trains: exchange, granularity, cadence, overlap, costs on the way. Values, every default explicit.
#pragma once

#include "models/codecs/settings.hpp"
#include "models/units/units.hpp"
#include "workloads/code/buckets.hpp"
#include "workloads/code/gradients.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

enum class Algorithm {
  parameter_server,
  ring,
  recursive_doubling,
  halving_doubling,
  binomial_tree,
  hierarchical,
  topk_allgather,
  gtopk
};

/// How lists are gathered: recursive doubling (Bruck's algorithm unless p = 2^k), or round a ring.
enum class AllGather { recursive_doubling, ring };

enum class Consistency { synchronous, asynchronous, bounded_staleness };
enum class Pull { flat, binomial };
enum class PullAt { once, first_use }; ///< pull as soon as pushed and updated, or when the next forward pass needs it

/// How a group hands its sum to its master, and how the master hands the result back.
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
  bool dedicated = false; ///< the master is an aggregator node of its own, not a member
};

struct ExchangeSpec {
  Algorithm algorithm = Algorithm::ring;
  bool barrier = false; ///< no worker sends anything of an exchange before all have come to it
  int pieces = 1;       ///< ring: blocks travel in pieces, reduced while the next is under way (Pipe-SGD Fig. 3)
  // parameter_server
  int servers = 1;
  bool colocated = false; ///< server i lives on rank i's place
  Pull pull = Pull::flat;
  PullAt pull_at = PullAt::once;
  Consistency consistency = Consistency::synchronous;
  int staleness_bound = 0; ///< bounded_staleness: a worker may be this many iterations ahead of the slowest
  int backup_workers = 0;  ///< synchronous: the server goes on after workers - backup_workers gradients
  // hierarchical, leaves first
  std::vector<HierarchyLevel> levels{};
  Algorithm top = Algorithm::ring; ///< among the masters of the last level (any all-reduce of above but hierarchical)
  // topk_allgather, gtopk
  double density = 0.001;
  std::optional<ByteRate> merge_bandwidth{};            ///< absent: merges are free
  AllGather all_gather = AllGather::recursive_doubling; ///< topk_allgather

  /// A server's next move depends on what arrives: it answers each push by itself, or takes the first gradients only.
  [[nodiscard]] bool reactive() const {
    return algorithm == Algorithm::parameter_server && (consistency != Consistency::synchronous || backup_workers > 0);
  }
};

enum class OverlapKind { none, layerwise, pipelined };
struct Overlap {
  OverlapKind kind = OverlapKind::none;
  int k = 1; ///< pipelined: an iteration uses the gradients of the k-th last
};

/// Where extra work runs: on the rank's GPU (after what it is doing), its CPU, its PCIe copy engine.
enum class CostResource { gpu, cpu, pcie };
/// When: once an iteration before the forward pass; before and after each bucket's exchange; for each message sent or
/// received.
/// selection: once an exchange with chosen chunks, before their norms travel.
enum class CostHook { iteration, before_exchange, after_exchange, selection, message_send, message_receive };
struct CostSpec {
  std::string name;
  CostHook at = CostHook::before_exchange;
  CostResource on = CostResource::gpu;
  SecondsPerByte per_byte{}; ///< of dense gradient bytes (message hooks: of the message's bytes)
  Seconds per_element{}, per_tensor{}, per_message{}, fixed{}; ///< per_message: message hooks; fixed: each time
};

/// Where the codec computes: in the NIC (INCEPTIONN's streaming engines), or on the rank's GPU or CPU before a message
/// is sent and after it has come.
enum class CodecPlacement { nic, gpu, cpu };

/// What travels instead of the gradient, on the named legs: dense bytes / ratio, or real gradients through a codec.
struct CompressionSpec {
  double ratio = 1;                          ///< 1 where `tensors` decide
  std::optional<codec::Settings> codec{};    ///< absent: values travel as they are
  GradientFiles tensors{};                   ///< real gradients; no directory: none
  bool push = true, pull = true;             ///< legs; rings and trees have no legs: both or, with a NIC, neither
  std::optional<CodecPlacement> placement{}; ///< absent: the codec takes no time, and there are no packets
  std::optional<ByteRate> encode_bandwidth{}, decode_bandwidth{}; ///< gpu, cpu: of dense bytes; absent: no time

  [[nodiscard]] bool in_nic() const { return placement == CodecPlacement::nic; }
  [[nodiscard]] bool in_software() const { return placement && !in_nic(); }
  /// Real tensors without a codec travel as they are.
  [[nodiscard]] bool encodes(bool pull_leg) const {
    return (tensors.directory.empty() || codec) && (pull_leg ? pull : push);
  }
  /// Seconds per dense byte at the sender, at the receiver.
  [[nodiscard]] double encode_seconds() const { return encode_bandwidth ? 1 / encode_bandwidth->value() : 0; }
  [[nodiscard]] double decode_seconds() const { return decode_bandwidth ? 1 / decode_bandwidth->value() : 0; }
  // Tensors left out travel dense: those that a pattern (* ? [...]) names, and those of fewer dense bytes than
  // this.
  std::vector<std::string> except{};
  std::optional<Bytes> except_below{};
  std::optional<Bytes> tensor_overhead{}; ///< on the wire for each compressed tensor of a message, whole or in part

  [[nodiscard]] bool leaves_out(const Tensor& tensor) const;
  /// Every element weighs the same: nothing is left out and tensors cost nothing by themselves.
  [[nodiscard]] bool even() const { return except.empty() && !except_below && !tensor_overhead; }
};

/// Whether a shell pattern (fnmatch(3): * ? [...]) names the tensor.
bool names_tensor(const std::string& pattern, const Tensor& tensor);

/// Only the important chunks of the gradient are exchanged (coarse-grained sparse communication, GradientFlow
/// Sec. 3.2).
struct ChunkSelection {
  double share = 1;                     ///< of the chunks, rounded up to whole ones
  std::int64_t chunk_elements = 32'000; ///< the paper's counts, 1903 and 797 chunks, imply 32,000
  std::optional<double> momentum{};     ///< by which unsent gradients shrink; absent: default_momentum
  static constexpr double default_momentum = 0.9;
};

struct TrainingSpec {
  ExchangeSpec exchange{};
  Granularity granularity{};
  Overlap overlap{};
  int streams = 1;      ///< communication streams per rank; bucket i of an iteration uses stream i mod streams
  int every = 1;        ///< exchange every k-th step only (local steps)
  int accumulation = 1; ///< mini-batches (forward + backward) per step
  std::vector<CostSpec> costs{};
  CompressionSpec compression{};
  std::optional<ChunkSelection> selection{}; ///< absent: everything is exchanged
  std::int64_t iterations = 1;
};

enum class EngineKind { hybrid, simgrid };
struct EngineSpec {
  EngineKind kind = EngineKind::hybrid;
  bool shortcuts = true;
};

enum class Placement { linear, cyclic }; ///< ranks fill a node's GPUs first, or go round the nodes

/// A stage of training with settings of its own; the next begins when every rank has finished this one.
struct Phase {
  std::string name;
  TrainingSpec training;
};

} // namespace gradflight
