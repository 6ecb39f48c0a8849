// One step of a whole ring, all ranks at once in vector registers. RingShortcut repeats it 2 (p - 1) times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gradflight {

/// A time (s) and what the critical path has gathered until then, one array each. Ranks: slot i is rank i, and rank 0
/// is repeated behind the last one. Messages: slot i + 1 is the message from rank i to rank i + 1, and the last message
/// is repeated in front of the first one. So a rank or a message waits for slots i and i + 1.
struct RingLanes {
  std::vector<double> time, alpha, gamma, interference;
  std::vector<std::int64_t> origin; ///< the rank that the path has come through since it entered
  void resize(std::size_t slots) {
    for (auto* lane : {&time, &alpha, &gamma, &interference}) lane->assign(slots, 0);
    origin.assign(slots, 0);
  }
  void copy(std::size_t from, std::size_t to) {
    for (auto* lane : {&time, &alpha, &gamma, &interference}) (*lane)[to] = (*lane)[from];
    origin[to] = origin[from];
  }
};

/// All in seconds.
struct RingStep {
  std::size_t ranks = 0;
  const double* alpha = nullptr;           ///< of the edge from each rank to the next
  const double* beta = nullptr;            ///< of the block that this edge now carries
  const double* gamma = nullptr;           ///< of the block that each rank now receives; null: no step has any
  const double* computing_until = nullptr; ///< of each edge: until then, one of its two ranks computes
  double slowing = 1;                      ///< factor on messages sent before that; 1: computing_until is not read
};

struct RingExtent {
  double earliest_sent = 0, latest_sent = 0, earliest_there = 0, latest_there = 0;
};

/// Computes when the messages of a step set out and arrive. A message waits for both sides, and its path leads through
/// the later one. Adds to `slowed` what compute has added to the bytes' time on each edge.
RingExtent send_ring(const RingStep& step, const RingLanes& ranks, RingLanes& messages, double* slowed);

/// Computes the ranks after the step: each has sent, received and reduced.
void receive_ring(const RingStep& step, const RingLanes& messages, RingLanes& ranks);

/// Both, for times alone: the times have the same bits, and nothing else in the lanes is read or written.
void time_ring(const RingStep& step, RingLanes& ranks, RingLanes& messages);

} // namespace gradflight
