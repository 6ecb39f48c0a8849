// What an engine runs: ranks on places, a lazy program for each of their streams, and who weighs a message.
//
// An engine knows nothing else of what a plan is for. Stream s of rank r sends to stream s of another rank; barriers,
// marks and whole collectives are of the plan's members, ranks 0..members-1.
#pragma once

#include "sim/plan/op.hpp"
#include "sim/plan/weight.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct PlanShape {
  std::vector<std::int32_t> place; ///< of each rank: the slot of the platform that it lives on
  int streams = 1;                 ///< of each rank
  int exchanging = 0; ///< of these: streams that exchange, which may want a rank's codec or reducer at once
  int members = 0;    ///< ranks that meet at a barrier
  int workers = 0;    ///< ranks with passes and updates of their own: the first ones
  int quorum = 0;     ///< marks that complete an iteration
  std::int64_t iterations = 0;
  bool leaves_late = false;   ///< it is over with its last mark, and what comes later is thrown away (backup workers)
  bool named_senders = false; ///< no step receives from anyone: what waits for a stream is kept sender by sender
  bool contents = false;      ///< messages have contents: the plan is told who gets which
};

/// Facts for an engine that works a whole ring all-reduce out at once, which may be part of a larger exchange.
struct Rings {
  std::vector<std::int32_t> members; ///< ranks, in the order of the ring
  std::vector<double> gamma;         ///< of each member: seconds per dense byte it receives
  bool passes_foreseen = true;       ///< Program::computing_until holds: nothing but the passes takes up the GPU
  struct Pair {
    std::int32_t from = 0, to = 0; ///< ranks
  };
  /// Who sends to whom outside of the ring. No such message of a member is under way while the member is in a ring.
  std::vector<Pair> others;
};

/// A bucket's vector in a ring of p members, cut into p blocks.
struct RingVector {
  std::int64_t elements = 0;
  double element_bytes = 4;
  double ratio = 1, beside = 0; ///< a block weighs dense bytes / ratio + beside on the wire ...
  std::vector<double> wire;     ///< ... or, where this is not empty, its own
  [[nodiscard]] double bytes(double dense) const { return dense / ratio + beside; }
};

/// A call that a pass will be ready for.
struct CallAhead {
  int kind = 0;     ///< calls of one kind send the same messages
  double after = 0; ///< seconds from the readiness of the first one on
  friend bool operator==(const CallAhead&, const CallAhead&) = default;
};

/// What a timeline calls things.
struct PlanNames {
  std::vector<std::string> layers, buckets, costs;
  std::vector<std::string> roles; ///< of each rank: "rank", "server, rank", ...
};

class Plan {
public:
  virtual ~Plan() = default;
  [[nodiscard]] virtual const PlanShape& shape() const = 0;
  [[nodiscard]] virtual PlanNames names() const = 0;
  /// Of a stream of a rank; null where it has nothing to do. Must not outlive the plan.
  [[nodiscard]] virtual std::unique_ptr<Program> program(int rank, int stream) = 0;

  /// What message `message` weighs that `rank` sends with `op`, over a route of `bandwidth` (bytes per second; told
  /// only where messages pass compressing NICs, else 0).
  virtual void weigh(const StepOp& op, int rank, std::uint32_t message, double bandwidth, Weight& weight) = 0;
  /// With contents: `rank` has got a message in step `op`.
  virtual void received(const StepOp& /*op*/, int /*rank*/, std::uint32_t /*message*/) {}
  /// With contents: a stream of `rank` has come to a signal.
  virtual void signalled(const SignalOp& /*op*/, int /*rank*/, int /*stream*/) {}

  /// Where every exchange has a ring all-reduce in it, of the same ranks, block by block, exchanges go on one at a
  /// time, and there is no work per message: what an engine needs to know of them. Empty otherwise.
  [[nodiscard]] virtual std::optional<Rings> rings() const { return std::nullopt; }
  [[nodiscard]] virtual RingVector ring_vector(int /*bucket*/) const { return {}; }
  /// Programs from now on name whole rings instead of their steps. Only for plans with rings().
  virtual void name_whole_collectives() {}

  /// Every exchange is a call, some of the same kind, and the calls of a rank follow each other on one stream, of
  /// launches. A call waits for the last one and for its gradients, and its messages depend on nothing else but the
  /// links. All members compute at one speed.
  [[nodiscard]] virtual bool repeats_calls() const { return false; }
  /// Programs from now on name where calls begin and end. Only for plans with repeats_calls().
  virtual void name_calls() {}
  /// Appends call `call` of the plan, and those that the same backward pass will be ready for after it.
  virtual void calls_ahead(std::int64_t /*call*/, std::vector<CallAhead>& /*ahead*/) const {}
};

/// Plans one after another: the next begins when all streams of the last have ended and its messages have arrived.
class PlanSequence {
public:
  virtual ~PlanSequence() = default;
  /// The next one; the last one, with its programs, is no longer used. Null after the last.
  virtual Plan* next() = 0;
  /// The plan that next() has given is the last one.
  [[nodiscard]] virtual bool last() const = 0;
  /// Messages of some plan pass compressing NICs.
  [[nodiscard]] virtual bool through_nics() const = 0;
  /// When the first plan begins (s), >= 0.
  [[nodiscard]] virtual double start() const { return 0; }
  /// What messages call it where there are several; may be empty.
  [[nodiscard]] virtual std::string name() const { return {}; }
};

} // namespace gradflight
