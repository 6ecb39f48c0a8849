// What a stream of a rank does next. A plan is a set of streams, each a lazily generated sequence of operations.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/schedules/parts/schedule.hpp"
#include "sim/result/result.hpp"
#include "sim/result/timeline.hpp"

#include <cstdint>
#include <optional>
#include <variant>

namespace gradflight {

/// One-at-a-time servers of a rank; work queues on them in order of submission.
enum class Resource : std::uint8_t { gpu, cpu, pcie, reducer };
inline constexpr int resource_count = 4;

/// Keeps a resource busy for `seconds`.
struct WorkOp {
  Resource resource = Resource::gpu;
  Part part = Part::compute;
  Activity activity = Activity::forward;
  int label = 0; ///< of the activity, see timeline.hpp
  std::int64_t iteration = 0;
  double seconds = 0;
  double nominal = 0; ///< of passes and updates of workers: as many at speed 1 and without jitter
};

inline constexpr std::int64_t any_tag = -1;

/// One step of an exchange: send, receive, combine. What the message weighs is the plan's answer when it is sent.
struct StepOp {
  Step transfer; ///< its peers are ranks of the plan, not participants of the schedule
  int bucket = 0, step = 0;
  int lag = 0;                           ///< Schedule::lag()
  int together = 1;                      ///< messages side by side that its message stands for; >= 1
  int name = 0;                          ///< of its message: so far behind the bucket's in PlanNames::buckets
  std::int64_t tag = 0, iteration = 0;   ///< messages match by sender and tag; any_tag takes any
  Primitive primitive = Primitive::send; ///< by which its message is sent
  bool encoded = false;                  ///< the message to send goes through the codec
  Resource codec = Resource::cpu;        ///< where this rank encodes and decodes
  double encode_seconds = 0;             ///< to encode the message first
  double combine_seconds = 0;            ///< to combine what is received
};

/// Until every member of the plan has come to it on this stream.
struct BarrierOp {
  int bucket = 0;
  std::int64_t iteration = 0;
};

/// The whole ring in the exchange of a bucket, where the engine can work it out at once.
struct CollectiveOp {
  int bucket = 0;
  std::int64_t iteration = 0;
};

/// Where an engine may repeat calls (Plan::repeats_calls): this rank is at call `call` of the plan, ...
struct CallBeginOp {
  std::int64_t call = 0;
};

/// ... and is through it.
struct CallEndOp {
  std::int64_t call = 0;
};

/// Until this rank's stream `stream` has signalled `value` times.
struct WaitOp {
  int stream = 0;
  std::int64_t value = 0;
};

/// Counts up this stream's own signal counter.
struct SignalOp {
  int bucket = 0; ///< whose gradients are ready or, on a communication stream, whose exchange is done
  std::int64_t iteration = 0;
};

/// The message received last came too late and is thrown away (backup workers).
struct DiscardOp {};

/// Until every reduction this stream has under way is done.
struct DrainOp {};

/// This rank has the updated model of an iteration.
struct MarkOp {
  std::int64_t iteration = 0;
  bool draining = false; ///< after the last iteration's computation, the pipeline runs empty
};

using Op = std::variant<WorkOp, StepOp, BarrierOp, CollectiveOp, WaitOp, SignalOp, DiscardOp, DrainOp, MarkOp,
                        CallBeginOp, CallEndOp>;

/// Generates the operations of one stream of one rank, in order. Holds O(1) state (reactive servers: O(workers)).
class Program {
public:
  virtual ~Program() = default;
  /// Fills `op` with the next operation; false at the end.
  virtual bool next(Op& op) = 0;
  /// Which message a step has got that takes any.
  virtual void received(int /*from*/, std::int64_t /*tag*/) {}
  /// When the passes that the last operation belongs to will be over, if it ends at `end` and nothing else uses the
  /// GPU.
  [[nodiscard]] virtual double computing_until(double end) const { return end; }
  /// The engine repeats the calls before number `until`: of these the program names ends and results alone, or nothing.
  /// Returns how many signals of the stream it leaves out. Nothing where the stream is past them: it goes on as it is.
  virtual std::optional<std::int64_t> skip_calls(std::int64_t /*until*/) { return std::nullopt; }
};

} // namespace gradflight
