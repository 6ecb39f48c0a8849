#include "sim/schedules/ring.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

Range piece_of(Range block, int pieces, int piece) {
  Range part = Blocks(block.count, pieces).range(piece);
  part.first += block.first;
  return part;
}

} // namespace

RingAllReduce::RingAllReduce(int workers, int pieces) : workers_(workers), pieces_(pieces) {
  if (workers < 1) throw std::invalid_argument("a ring needs at least one worker");
  if (pieces < 1) throw std::invalid_argument("a ring's blocks travel in at least one piece");
}

int RingAllReduce::steps(int) const { return 2 * (workers_ - 1) * pieces_; }

Step RingAllReduce::step(std::int64_t n, int participant, int index) const {
  const int round = pieces_ == 1 ? index : index / pieces_;
  const Combine combine = round < workers_ - 1 ? Combine::reduce : Combine::take;
  Step step = ring_round(Blocks(n, workers_), workers_, participant, round, combine);
  if (pieces_ > 1) {
    const int piece = index % pieces_;
    step.out = piece_of(step.out, pieces_, piece);
    step.in = piece_of(step.in, pieces_, piece);
  }
  return step;
}

} // namespace gradflight
