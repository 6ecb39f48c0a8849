// The two halves of an all-reduce as separate collectives: reduce-scatter and all-gather, any p.
//
// A vector is cut into p blocks; block i belongs to rank i. A reduce-scatter leaves its sum there; an all-gather sends
// it from there to all ranks. Time, p dividing n; a reduce-scatter also has ((p-1)/p) n gamma:
//   ring                (p-1) alpha + ((p-1)/p) n beta: the halves of the ring all-reduce (ring.hpp), the first one
//                       shifted by one position
//   recursive doubling  ceil(lg p) alpha + ((p-1)/p) n beta. p = 2^k: partners at distance 1, 2, 4, ... exchange all
//                       blocks that they hold; else Bruck's algorithm (Thakur et al. 2005): rank i holds blocks i ..
//                       i+h-1 and sends them to i-h; blocks past the vector's end continue at its beginning
//   recursive halving   the doubling backwards: partial sums take the reverse way of the blocks. p = 2^k: vector
//                       halving (Rabenseifner 2004); any other p: a circulant graph (Traeff 2024)
#pragma once

#include "models/schedules/parts/exchange.hpp"
#include "models/schedules/parts/schedule.hpp"

namespace gradflight {

class AllGatherBlocks final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1.
  AllGatherBlocks(int workers, AllGather way);

  [[nodiscard]] int participants() const override { return workers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;
  [[nodiscard]] std::int64_t messages(int participant) const override { return steps(participant); }
  [[nodiscard]] int distinct_steps(int participant) const override;

private:
  int workers_;
  AllGather way_;
};

class ReduceScatterBlocks final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1.
  ReduceScatterBlocks(int workers, ReduceScatter way);

  [[nodiscard]] int participants() const override { return gather_.participants(); }
  [[nodiscard]] int workers() const override { return gather_.workers(); }
  [[nodiscard]] int steps(int participant) const override { return gather_.steps(participant); }
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;
  [[nodiscard]] std::int64_t messages(int participant) const override { return steps(participant); }
  [[nodiscard]] int distinct_steps(int participant) const override { return gather_.distinct_steps(participant); }

private:
  AllGatherBlocks gather_; ///< the reverse of this one
  ReduceScatter way_;
};

} // namespace gradflight
