// The input of an engine: ranks on places, a lazy program for each of their streams, and the weight of each message.
//
// An engine does not know the purpose of a plan. Stream s of rank r sends to stream s of another rank. Barriers, marks
// and whole collectives are among the plan's members, ranks 0..members-1.
#pragma once

#include "sim/plan/op.hpp"
#include "sim/plan/weight.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Of workers that do not wait for each other: the iterations that tell a worker's pace. Counts of iterations.
struct OwnPace {
  std::int64_t cycle = 1;   ///< iterations repeat after this many
  std::int64_t settled = 0; ///< paces are steady from the moment at which the first worker has completed this many
};

struct PlanShape {
  std::vector<std::int32_t> place; ///< of each rank: its place on the platform
  int streams = 1;                 ///< of each rank
  int exchanging = 0;              ///< number of these that exchange, and so may need a rank's codec or reducer at once
  int members = 0;                 ///< ranks that meet at a barrier
  int workers = 0;                 ///< number of ranks with their own passes and updates: the first ones
  int quorum = 0;                  ///< number of marks that complete an iteration
  std::int64_t iterations = 0;
  std::optional<OwnPace> own_pace{}; ///< of workers that do not wait for each other
  bool leaves_late = false;          ///< it ends with its last mark; later messages are discarded (backup workers)
  bool local_steps = false;          ///< iterations without an exchange, in which each rank has a path of its own
  bool named_senders = false;        ///< no step receives from anyone: waiting messages are kept by sender
  bool weighs_routes = false;        ///< weights depend on the rate of the route
  bool contents = false;             ///< messages have contents: received() and signalled() are called
};

/// Facts that let an engine compute a whole ring all-reduce at once; it may be part of a larger exchange.
struct Rings {
  std::vector<std::int32_t> members; ///< ranks, in the order of the ring
  std::vector<double> gamma;         ///< of each member: seconds per dense byte it receives
  bool passes_foreseen = true;       ///< Program::computing_until holds: only the passes use the GPU
  struct Pair {
    std::int32_t from = 0, to = 0; ///< ranks
  };
  /// Pairs that send outside of the ring. No such message of a member is under way while the member is in a ring.
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

/// A future call of a pass.
struct CallAhead {
  int kind = 0;     ///< calls of one kind send the same messages
  double after = 0; ///< seconds after the first one becomes ready
  friend bool operator==(const CallAhead&, const CallAhead&) = default;
};

/// Names for a timeline.
struct PlanNames {
  std::vector<std::string> layers, buckets, costs;
  std::vector<std::string> roles; ///< of each rank: "rank", "server, rank", ...
};

class Plan {
public:
  virtual ~Plan() = default;
  [[nodiscard]] virtual const PlanShape& shape() const = 0;
  [[nodiscard]] virtual PlanNames names() const = 0;
  /// Returns the program of a rank's stream; null if it has nothing to do. Must not outlive the plan.
  [[nodiscard]] virtual std::unique_ptr<Program> program(int rank, int stream) = 0;

  /// Computes the weight of message `message` that `rank` sends with `op`, over a route of `bandwidth` (bytes per
  /// second; given only if messages pass compressing NICs, else 0).
  virtual void weigh(const StepOp& op, int rank, std::uint32_t message, double bandwidth, Weight& weight) = 0;
  /// A stream has set its next mark at `time` (s). `last`: it completes the quorum of an iteration.
  virtual void marked(double /*time*/, bool /*last*/) {}
  /// With contents: `rank` has received a message in step `op`.
  virtual void received(const StepOp& /*op*/, int /*rank*/, std::uint32_t /*message*/) {}
  /// With contents: a stream of `rank` has reached a signal.
  virtual void signalled(const SignalOp& /*op*/, int /*rank*/, int /*stream*/) {}

  /// Returns what an engine needs to know of the rings, if every exchange contains a ring all-reduce of the same ranks,
  /// block by block, exchanges run one at a time, and messages cause no work. Empty otherwise.
  [[nodiscard]] virtual std::optional<Rings> rings() const { return std::nullopt; }
  [[nodiscard]] virtual RingVector ring_vector(int /*bucket*/) const { return {}; }
  /// From now on programs name whole rings instead of their steps. Only for plans with rings().
  virtual void name_whole_collectives() {}

  /// Whether every exchange is a call, some calls are of the same kind, and a rank's calls follow each other on one
  /// launch stream. A call waits for the last one and for its gradients; apart from that, its messages depend only on
  /// the links. All members compute at one speed.
  [[nodiscard]] virtual bool repeats_calls() const { return false; }
  /// From now on programs name where calls begin and end. Only for plans with repeats_calls().
  virtual void name_calls() {}
  /// Appends call `call` of the plan, and the later calls of the same backward pass.
  virtual void calls_ahead(std::int64_t /*call*/, std::vector<CallAhead>& /*ahead*/) const {}
};

/// Plans one after another: the next begins when all streams of the last have ended and its messages have arrived.
class PlanSequence {
public:
  virtual ~PlanSequence() = default;
  /// Returns the next plan and destroys the last one with its programs. Null after the last.
  virtual Plan* next() = 0;
  /// Whether the latest plan from next() is the last one.
  [[nodiscard]] virtual bool last() const = 0;
  /// Whether messages of some plan pass compressing NICs.
  [[nodiscard]] virtual bool through_nics() const = 0;
  /// When the first plan begins (s), >= 0.
  [[nodiscard]] virtual double start() const { return 0; }
  /// Its name in messages if several sequences exist; may be empty.
  [[nodiscard]] virtual std::string name() const { return {}; }
};

} // namespace gradflight
