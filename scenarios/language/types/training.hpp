// How a job trains: exchange, granularity, cadence, overlap, costs on the way. Values, every default explicit.
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

  [[nodiscard]] HostRates rates() const {
    return {fixed.value(), per_tensor.value(), per_message.value(), per_element.value(), per_byte.value()};
  }
};

/// Where the codec computes: in the NIC (INCEPTIONN's streaming engines), or on the rank's GPU or CPU before a message
/// is sent and after it has come.
enum class CodecPlacement { nic, gpu, cpu };

/// What travels instead of the gradient, on the named legs: dense bytes / ratio, or real gradients through a codec.
struct CompressionSpec {
  double ratio = 1;                          ///< 1 where `tensors` decide
  bool ratio_of_codec = false;               ///< not given: the codec's, of fp32 values
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
