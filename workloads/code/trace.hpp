// The parts of a profiler's recording of one rank that step times need. Times are seconds since the trace's earliest
// event.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradflight {

/// The trace is readable but lacks the required content.
class TraceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TraceSpan {
  double begin = 0, end = 0;
};

/// An operator on a CPU thread.
struct TraceOp : TraceSpan {
  enum class Kind : std::uint8_t {
    forward,    ///< has a sequence number
    backward,   ///< run by autograd; has the sequence number of the forward operator that it differentiates
    accumulate, ///< stores a parameter's gradient; the gradient is ready with this operator's last kernel
    composite   ///< no sequence number of its own, but groups other operators (aten::linear)
  } kind = Kind::forward;
  std::int64_t sequence = -1;
  int thread = 0;
  std::uint32_t name = 0; ///< index into Trace::names
};

/// A kernel, copy or fill on a GPU stream.
struct TraceKernel : TraceSpan {
  std::int64_t correlation = -1; ///< links it to its launch
  int device = 0, stream = 0;
  bool collective = false; ///< from NCCL or RCCL
  double launched = -1;    ///< time of its launch by a CPU thread; < 0: not recorded
  int thread = 0;          ///< the thread that launched it
};

struct TraceLaunch {
  double time = 0;
  std::int64_t correlation = -1;
  int thread = 0;
};

struct TraceAnnotation : TraceSpan {
  std::string name;
  int thread = 0;
};

/// Data of one event about a collective: the CPU's call (record_param_comms, nccl:all_reduce), its annotation, or its
/// kernel.
struct TraceMessage : TraceSpan {
  enum class From : std::uint8_t { call, annotation, kernel } from = From::call;
  std::string operation;      ///< "all_reduce", ...; empty: not recorded
  std::string dtype;          ///< as recorded: "Float", "float", ...
  std::int64_t elements = -1; ///< of the input; -1: not recorded
  int group = 0;              ///< number of ranks; 0: not recorded
  std::string group_name;
  int thread = 0;
  std::int64_t correlation = -1; ///< kernels only
};

/// Sorted by begin (kernels by launch) after finish().
struct Trace {
  std::string device;            ///< "NVIDIA A100-PG509-200"; empty: not recorded
  int rank = -1, world_size = 0; ///< -1 and 0: not recorded
  std::vector<TraceOp> ops;
  std::vector<TraceKernel> kernels;
  std::vector<TraceLaunch> launches;
  std::vector<TraceAnnotation> annotations;
  std::vector<TraceMessage> messages;
  std::vector<std::string> names;

  /// Shifts times so that the earliest event is at 0. Links kernels to their launches, drops the launches, and sorts.
  /// Call it once, after the last event.
  void finish();
};

/// Returns the bytes of an element by PyTorch's type names ("Float", "c10::Half", "unsigned char", ...); 0: unknown
/// type.
int dtype_bytes(const std::string& dtype);

} // namespace gradflight
