// What a profiler recorded on one rank, as far as step times need it. Times are seconds since the trace's earliest
// event.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradflight {

/// The trace is readable but does not hold what is asked of it.
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
    backward,   ///< run by autograd; its sequence number is that of the forward operator it differentiates
    accumulate, ///< puts a parameter's gradient in place: it is ready with this operator's last kernel
    composite   ///< no sequence number of its own, but its parts belong together (aten::linear)
  } kind = Kind::forward;
  std::int64_t sequence = -1;
  int thread = 0;
  std::uint32_t name = 0; ///< index into Trace::names
};

/// A kernel, copy or fill on a GPU stream.
struct TraceKernel : TraceSpan {
  std::int64_t correlation = -1; ///< ties it to its launch
  int device = 0, stream = 0;
  bool collective = false; ///< one of NCCL's or RCCL's
  double launched = -1;    ///< when a CPU thread asked for it; < 0: the trace does not say
  int thread = 0;          ///< which one
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

/// What one event says about a collective: the CPU's call (record_param_comms, nccl:all_reduce) or its kernel.
struct TraceMessage : TraceSpan {
  enum class From : std::uint8_t { call, annotation, kernel } from = From::call;
  std::string operation;      ///< "all_reduce", ...; empty: not said
  std::string dtype;          ///< as recorded: "Float", "float", ...
  std::int64_t elements = -1; ///< of the input; -1: not said
  int group = 0;              ///< ranks; 0: not said
  std::string group_name;
  int thread = 0;
  std::int64_t correlation = -1; ///< kernels only
};

/// Sorted by begin (kernels by launch), as finish() leaves them.
struct Trace {
  std::string device;            ///< "NVIDIA A100-PG509-200"; empty: not said
  int rank = -1, world_size = 0; ///< -1 and 0: not said
  std::vector<TraceOp> ops;
  std::vector<TraceKernel> kernels;
  std::vector<TraceLaunch> launches;
  std::vector<TraceAnnotation> annotations;
  std::vector<TraceMessage> messages;
  std::vector<std::string> names;

  /// Lets time begin at the earliest event. Ties kernels to their launches, drops the launches, sorts. Call once, after
  /// the last event.
  void finish();
};

/// Bytes of an element as PyTorch names types ("Float", "c10::Half", "unsigned char", ...); 0: not a known type.
int dtype_bytes(const std::string& dtype);

} // namespace gradflight
