// The next operation of a rank's stream. A plan is a set of streams, each a lazily generated sequence of operations.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/schedules/parts/schedule.hpp"
#include "sim/result/result.hpp"
#include "sim/result/timeline.hpp"

#include <cstdint>
#include <optional>
#include <variant>

namespace gradflight {

/// Resources of a rank that serve one operation at a time, in order of submission.
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
  double nominal = 0;         ///< for passes and updates of workers: the seconds at speed 1 without jitter
  bool launches_call = false; ///< by a library

  /// Whether a server with a node of its own does it, whose speed is no worker's.
  [[nodiscard]] bool serves() const { return part == Part::update && nominal == 0; }
};

inline constexpr std::int64_t any_tag = -1;

/// One step of an exchange: send, receive, combine. The plan gives the message's weight when it is sent.
struct StepOp {
  Step transfer; ///< its peers are ranks of the plan, not participants of the schedule
  int bucket = 0, step = 0;
  int lag = 0;                           ///< Schedule::lag()
  int together = 1;                      ///< number of parallel messages that its message stands for; >= 1
  int name = 0;                          ///< of its message: offset from the bucket's name in PlanNames::buckets
  std::int64_t tag = 0, iteration = 0;   ///< messages match by sender and tag; any_tag takes any
  Primitive primitive = Primitive::send; ///< that sends its message
  bool encoded = false;                  ///< the message to send goes through the codec
  Resource codec = Resource::cpu;        ///< where this rank encodes and decodes
  double encode_seconds = 0;             ///< to encode the message first
  double combine_seconds = 0;            ///< to combine the received data
};

/// Waits until every member of the plan has reached it on this stream.
struct BarrierOp {
  int bucket = 0;
  std::int64_t iteration = 0;
};

/// The whole ring in the exchange of a bucket, if the engine can compute it at once.
struct CollectiveOp {
  int bucket = 0;
  std::int64_t iteration = 0;
};

/// If an engine may repeat calls (Plan::repeats_calls): this rank begins call `call` of the plan, ...
struct CallBeginOp {
  std::int64_t call = 0;
};

/// ... and ends it.
struct CallEndOp {
  std::int64_t call = 0;
};

/// Waits until this rank's stream `stream` has signalled `value` times.
struct WaitOp {
  int stream = 0;
  std::int64_t value = 0;
};

/// Increments this stream's own signal counter.
struct SignalOp {
  int bucket = 0; ///< its gradients are ready or, on a communication stream, its exchange is done
  std::int64_t iteration = 0;
};

/// Waits until every reduction that this stream has under way is done.
struct DrainOp {};

/// This rank has the updated model of an iteration.
struct MarkOp {
  std::int64_t iteration = 0;
  bool draining = false; ///< after the last iteration's computation, the pipeline runs empty
};

using Op =
    std::variant<WorkOp, StepOp, BarrierOp, CollectiveOp, WaitOp, SignalOp, DrainOp, MarkOp, CallBeginOp, CallEndOp>;

/// Generates the operations of one stream of one rank, in order. Uses O(1) memory (reactive servers: O(workers)).
class Program {
public:
  virtual ~Program() = default;
  /// Fills `op` with the next operation; returns false at the end.
  virtual bool next(Op& op) = 0;
  /// Tells which message a step that takes any message has received.
  virtual void received(int /*from*/, std::int64_t /*tag*/) {}
  /// Returns when the passes of the last operation end, if it ends at `end` and nothing else uses the GPU.
  [[nodiscard]] virtual double computing_until(double end) const { return end; }
  /// The engine repeats the calls before number `until`; of these, the program names only ends and results, or nothing.
  /// Returns how many signals of the stream it skips. Returns nothing if the stream is past these calls.
  virtual std::optional<std::int64_t> skip_calls(std::int64_t /*until*/) { return std::nullopt; }
};

} // namespace gradflight
