// A collective's schedule: a pure function from (participants, vector length, rank, step index) to that rank's step.
//
// Nothing is stored per step: any step of any rank is available at any time in O(log p). So plans stay lazy and memory
// stays O(ranks). Steps of one rank run in order; step s+1 begins when step s is done.
#pragma once

#include "models/collectives/nic_pair.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gradflight {

/// Part of the exchanged vector, counted in the unit of its collective (collective.hpp).
struct Range {
  std::int64_t first = 0, count = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Use of received data: `take` replaces the range (or is the first operand), `reduce` adds it to the local range
/// (costs gamma per byte), `merge` is for top-k: union and selection on the way up gTop-k's tree, or adding the entries
/// in an all-gather (the scenario gives its cost, 0 by default).
enum class Combine : std::uint8_t { take, reduce, merge };

inline constexpr int no_rank = -1; ///< this step does not send (or receive)
inline constexpr int anyone = -2;  ///< receive from whichever participant's message comes first

/// One step of one rank: start the send, wait for the message, combine it. A step whose `out` or `in` is empty
/// (count 0) still sends, or waits for, a message without payload: it costs alpha.
struct Step {
  int to = no_rank, from = no_rank;
  int by = no_rank; ///< the relay of the message to the network, if not the sender (NCCL's PXN)
  NicPair nics{};   ///< NICs by which it leaves its node (that of `by`) and enters the receiver's
  Range out, in;
  Combine combine = Combine::take;
  bool buffered = false; ///< the message starts when it is sent; else when the receiver has also reached its step
                         ///< (MPI_Sendrecv, NCCL)
  bool streamed = false; ///< buffered, and one behind the other: its bytes set out at once, alpha passes behind them,
                         ///< and a step that waits for what it has sent ends when they have left
  bool wait_sent = true; ///< the step ends only when every message this rank has sent so far has arrived
  bool update = false;   ///< no transfer: apply the optimiser's update to the range `in` (parameter servers)
};

/// Unit of a schedule: gradient elements (4 bytes each before any codec) or top-k lists (k entries of 8 bytes).
enum class Unit : std::uint8_t { elements, lists };

/// A ring all-reduce inside a schedule, block by block (ring.hpp): member i is participant first + i * stride. A
/// member's earlier messages have arrived when it enters the ring. A participant that sends to a member outside of the
/// ring gets a message from it after the ring, directly or through others, before it sends to it again.
struct RingPart {
  int first = 0, stride = 1, members = 0;
  [[nodiscard]] int participant(int i) const { return first + i * stride; }
};
/// Steps first .. first + count - 1 of a participant; none if it is not in the ring.
struct RingSteps {
  int first = -1, count = 0;
};

/// Stateless and immutable. Participants are 0..participants()-1; a plan maps them to ranks.
class Schedule {
public:
  virtual ~Schedule() = default;
  /// Workers first, then helpers that hold no gradient of their own (dedicated servers, aggregators).
  [[nodiscard]] virtual int participants() const = 0;
  [[nodiscard]] virtual int workers() const = 0;
  /// Number of steps of a participant (may differ between participants; may be 0).
  [[nodiscard]] virtual int steps(int participant) const = 0;
  /// Step `index` in 0..steps()-1 for a vector of n elements (n >= 1; ignored where it counts lists).
  [[nodiscard]] virtual Step step(std::int64_t n, int participant, int index) const = 0;
  /// Number of a participant's steps that send.
  [[nodiscard]] virtual std::int64_t messages(int participant) const {
    std::int64_t sends = 0;
    for (int s = 0, count = steps(participant); s < count; ++s) sends += step(1, participant, s).to != no_rank ? 1 : 0;
    return sends;
  }
  [[nodiscard]] virtual std::optional<RingPart> ring() const { return std::nullopt; }
  [[nodiscard]] virtual RingSteps ring_steps(int /*participant*/) const { return {}; }
  /// Appends the participants that a participant sends to outside of the ring(), if one exists.
  virtual void send_outside_ring(int /*participant*/, std::vector<int>& /*to*/) const {}
  /// Number of received blocks that may still be in reduction when the next step begins: 0 without pipelining inside
  /// the collective, pieces-1 with it (Pipe-SGD Fig. 3). The reduction of step i is done before step i+lag()+1 begins.
  [[nodiscard]] virtual int lag() const { return 0; }
  /// Number of steps after which all simultaneous partners have occurred: later steps repeat them, in the same order.
  [[nodiscard]] virtual int distinct_steps(int participant) const { return steps(participant); }
};

/// Block b of p of a vector of n elements: whole elements; the first (n mod p) blocks are one element larger.
struct Blocks {
  std::int64_t base, extra;
  Blocks(std::int64_t n, int p) : base(n / p), extra(n % p) {}
  [[nodiscard]] std::int64_t begin(std::int64_t b) const { return b * base + (b < extra ? b : extra); }
  [[nodiscard]] Range range(std::int64_t b) const { return {begin(b), base + (b < extra ? 1 : 0)}; }
  /// Blocks b..e-1 as one range.
  [[nodiscard]] Range range(std::int64_t b, std::int64_t e) const { return {begin(b), begin(e) - begin(b)}; }
};

} // namespace gradflight
