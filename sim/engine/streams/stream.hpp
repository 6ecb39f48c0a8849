// A stream of a rank under way: its position in its program, and the critical path that has led there.
#pragma once

#include "sim/engine/network/message.hpp"
#include "sim/plan/op.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace gradflight {

/// A reduction that may still be under way when the next step begins.
struct Lag {
  double end = 0;
  TracedPath path{};
};

enum class StreamStage : std::uint8_t {
  fetch,
  queued,
  working,
  lagging,
  encoding,
  receiving,
  taken,
  asking,
  decoding,
  combining,
  sending,
  counting,
  meeting,
  ended
};

inline constexpr std::uint32_t nobody_yet = 0xffffffffu;
inline constexpr std::uint32_t no_box = 0xffffffffu;

/// By cache line: position, operation, path, route; then what few streams have.
struct alignas(64) Stream {
  StreamStage stage = StreamStage::fetch;
  bool to_encode = false;  ///< it asks to encode
  bool expecting = false;  ///< the message of its receiving step is on its way
  std::int32_t unsent = 0; ///< messages posted and not yet arrived
  std::int32_t rank = 0, index = 0;
  std::uint32_t plan = 0;       ///< index among the executor's plans
  std::uint32_t boxes = no_box; ///< its inbox: the first of its boxes (Transport::Box)
  int route_to = -1;            ///< the place that `route` leads to ...
  int route_by = -1;            ///< ... by way of this place; -1: directly
  double route_alpha = 0;       ///< alpha of a message that sets out on it
  std::unique_ptr<Program> program;
  double decode_seconds = 0; ///< of the message taken last; 0 once decoded
  std::int64_t signals = 0;

  Op op;
  double work_end = 0;
  std::uint32_t last_sender = nobody_yet; ///< stream of the message it took last
  NicPair route_nics{};                   ///< the NICs that `route` uses

  TracedPath path{};     ///< critical path up to now
  std::vector<Lag> lags; ///< the last lag() + 1 reductions under way

  Route route;
  std::vector<LinkShare> route_back; ///< under a protocol: the load of acknowledgements on the way back
  Lag last_combine{};
  double work_requested_at = 0; ///< when it asked for its rank's codec or reducer
  double signalled = 0;         ///< when it gave its last signal

  /// Only for a stream that is at a step.
  [[nodiscard]] StepOp& step() { return certain(std::get_if<StepOp>(&op)); }
  [[nodiscard]] const StepOp& step() const { return certain(std::get_if<StepOp>(&op)); }

private:
  template <class T> static T& certain(T* there) {
    if (there == nullptr) __builtin_unreachable(); // avoids a check at every use
    return *there;
  }
};

/// The streams of all plans, each plan's together; and those that can run at this instant, in order.
struct Streams {
  std::vector<Stream> all;
  std::vector<std::uint32_t> ready;
  std::vector<std::string> plan_names; ///< PlanSequence::name()

  Stream& operator[](std::uint32_t s) { return all[s]; }
  const Stream& operator[](std::uint32_t s) const { return all[s]; }
  void wake(std::uint32_t s) { ready.push_back(s); }
};

} // namespace gradflight
