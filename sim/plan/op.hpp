// What a stream of a rank does next. A plan is a set of streams, each a lazily generated sequence of operations.
#pragma once

#include "sim/result/result.hpp"
#include "sim/result/timeline.hpp"
#include "sim/schedules/schedule.hpp"

#include <cstdint>

namespace gradflight {

/// One-at-a-time servers of a rank; work queues on them in order of submission.
enum class Resource : std::uint8_t { gpu, cpu, pcie, reducer };
inline constexpr int resource_count = 4;

enum class OpKind : std::uint8_t {
  work,       ///< keep a resource busy for `seconds`
  step,       ///< one step of an exchange: send, receive, combine
  barrier,    ///< until every worker has come to it on this stream
  collective, ///< the whole exchange of `bucket`, where the engine can work it out at once
  wait,       ///< until this rank's stream `stream` has signalled `value` times
  signal,     ///< count up this stream's own signal counter
  discard,    ///< the message received last came too late and is thrown away (backup workers)
  drain,      ///< until every reduction this stream has under way is done
  mark        ///< this rank has the updated model of iteration `iteration`
};

inline constexpr std::int64_t any_tag = -1;

struct Op {
  OpKind kind = OpKind::work;
  // work
  Resource resource = Resource::gpu;
  Part part = Part::compute;
  Activity activity = Activity::forward;
  int label = 0; ///< of the activity, see timeline.hpp
  double seconds = 0;
  // step: peers in `transfer` are ranks of the job, not participants of the schedule
  Step transfer;
  int bucket = 0, step = 0;
  int lag = 0;                ///< Schedule::lag()
  std::int64_t tag = 0;       ///< messages match by sender and tag; any_tag takes any
  double send_payload = 0;    ///< dense bytes of the message to send
  double send_wire = 0;       ///< bytes on the links, as encoded
  bool encoded = false;       ///< the message to send goes through the codec
  double encode_seconds = 0;  ///< to encode it first, on the job's codec_resource of this rank
  double decode_seconds = 0;  ///< for its receiver to decode it, before it combines
  double combine_seconds = 0; ///< to combine what is received
  // wait
  int stream = 0;
  std::int64_t value = 0;
  // mark, timeline
  std::int64_t iteration = 0;
  bool draining = false; ///< mark: after the last iteration's computation, the pipeline runs empty
};

/// Generates the operations of one stream of one rank, in order. Holds O(1) state (reactive servers: O(workers)).
class Program {
public:
  virtual ~Program() = default;
  /// Fills `op` with the next operation; false at the end.
  virtual bool next(Op& op) = 0;
  /// Tells a reactive program which message the last receiving step got.
  virtual void received(int /*from*/, std::int64_t /*tag*/) {}
  /// When the passes that the last operation belongs to will be over, if it ends at `end` and nothing else uses the
  /// GPU.
  [[nodiscard]] virtual double computing_until(double end) const { return end; }
};

} // namespace gradflight
