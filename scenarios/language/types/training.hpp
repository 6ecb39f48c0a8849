// How a job trains: exchange, granularity, frequency of exchanges, overlap, and extra costs. Values with every default
// explicit.
#pragma once

#include "models/codecs/parts/settings.hpp"
#include "models/forms/host_cost.hpp"
#include "models/schedules/parts/exchange.hpp"
#include "models/units/units.hpp"
#include "workloads/code/buckets.hpp"
#include "workloads/code/gradients.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

enum class OverlapKind { none, layerwise, pipelined };
struct Overlap {
  OverlapKind kind = OverlapKind::none;
  int k = 1; ///< pipelined: an iteration uses the gradients of the k-th iteration before it
};

/// Where extra work runs: on the rank's GPU (after its current work), its CPU, or its PCIe copy engine.
enum class CostResource { gpu, cpu, pcie };
/// When extra work runs. iteration: once per iteration, before the forward pass. before_exchange and after_exchange:
/// for each bucket. selection: once per exchange with chosen chunks, before their norms are sent. message_send and
/// message_receive: for each message.
enum class CostHook { iteration, before_exchange, after_exchange, selection, message_send, message_receive };
struct CostSpec {
  std::string name;
  CostHook at = CostHook::before_exchange;
  CostResource on = CostResource::gpu;
  SecondsPerByte per_byte{}; ///< per dense gradient byte (message hooks: per byte of the message)
  Seconds per_element{}, per_tensor{}, per_message{}, fixed{}; ///< per_message: message hooks; fixed: per occurrence

  [[nodiscard]] HostRates rates() const {
    return {fixed.value(), per_tensor.value(), per_message.value(), per_element.value(), per_byte.value()};
  }
};

/// Where the codec computes: in the NIC (INCEPTIONN's streaming engines), or on the rank's GPU or CPU, before a message
/// is sent and after it arrives.
enum class CodecPlacement { nic, gpu, cpu };

/// The compression of gradients on the given legs: dense bytes / ratio, or real gradients through a codec.
struct CompressionSpec {
  double ratio = 1;                       ///< 1 if `tensors` determine the sizes
  bool ratio_of_codec = false;            ///< the file has no ratio: the codec's nominal ratio for fp32 values
  std::optional<codec::Settings> codec{}; ///< absent: values are sent unchanged
  GradientFiles tensors{};                ///< real gradients; without directory: none
  bool push = true, pull = true;          ///< legs; rings and trees have no legs: both true, or, with a NIC, both false
  /// Absent: the codec takes no time, and messages are not split into packets.
  std::optional<CodecPlacement> placement{};
  std::optional<ByteRate> encode_bandwidth{}, decode_bandwidth{}; ///< gpu, cpu: rate in dense bytes; absent: no time

  [[nodiscard]] bool in_nic() const { return placement == CodecPlacement::nic; }
  [[nodiscard]] bool in_software() const { return placement && !in_nic(); }
  /// Whether messages of a leg are encoded; real tensors without a codec are not.
  [[nodiscard]] bool encodes(bool pull_leg) const {
    return (tensors.directory.empty() || codec) && (pull_leg ? pull : push);
  }
  /// Seconds per dense byte at the sender and at the receiver.
  [[nodiscard]] double encode_seconds() const { return encode_bandwidth ? 1 / encode_bandwidth->value() : 0; }
  [[nodiscard]] double decode_seconds() const { return decode_bandwidth ? 1 / decode_bandwidth->value() : 0; }
  // Some tensors are sent without compression: those that match a pattern (* ? [...]) in `except`, and those with fewer
  // dense bytes than `except_below`.
  std::vector<std::string> except{};
  std::optional<Bytes> except_below{};
  /// Bytes on the wire for each compressed tensor of a message, whole or in part.
  std::optional<Bytes> tensor_overhead{};

  [[nodiscard]] bool leaves_out(const Tensor& tensor) const;
  /// Whether all elements have the same cost: no tensor is left out, and tensors have no overhead.
  [[nodiscard]] bool even() const { return except.empty() && !except_below && !tensor_overhead; }
};

/// Whether a shell pattern (fnmatch(3): * ? [...]) matches the tensor.
bool names_tensor(const std::string& pattern, const Tensor& tensor);

/// Exchanges only the important chunks of the gradient (coarse-grained sparse communication, GradientFlow Sec. 3.2).
struct ChunkSelection {
  double share = 1;                     ///< share of the chunks, rounded up to whole chunks
  std::int64_t chunk_elements = 32'000; ///< the paper's counts, 1903 and 797 chunks, imply 32,000
  std::optional<double> momentum{};     ///< factor by which unsent gradients shrink; absent: default_momentum
  static constexpr double default_momentum = 0.9;
};

struct TrainingSpec {
  ExchangeSpec exchange{};
  Granularity granularity{};
  Overlap overlap{};
  int streams = 1;      ///< communication streams per rank; bucket i of an iteration uses stream i mod streams
  int every = 1;        ///< exchange only in every k-th step (local steps)
  int accumulation = 1; ///< mini-batches (forward + backward) per step
  std::vector<CostSpec> costs{};
  CompressionSpec compression{};
  std::optional<ChunkSelection> selection{}; ///< absent: all gradients are exchanged
  std::int64_t iterations = 1;
};

enum class EngineKind { hybrid, simgrid };
struct EngineSpec {
  EngineKind kind = EngineKind::hybrid;
  bool shortcuts = true;
};

enum class Placement { linear, cyclic }; ///< linear: ranks fill a node's GPUs first; cyclic: one rank per node in turn

/// A stage of training with its own settings. The next stage begins when every rank has finished this one.
struct Phase {
  std::string name;
  TrainingSpec training;
};

} // namespace gradflight
