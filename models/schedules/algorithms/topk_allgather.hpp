// Top-k all-gather: every worker gets all workers' lists of k (index, value) pairs and adds them up itself.
//
// gTop-k Sec. II-E, Table I ("TopKAllReduce"). p = 2^k: recursive doubling; else Bruck's algorithm (Thakur et al. 2005,
// Sec. 4.1), ceil(log2 p) rounds for any p. Time: ceil(log2 p) alpha + (p-1) L beta, L the bytes of a list.
// Alternatively a ring moves one list a step: (p-1)(alpha + L beta), with one message at a time over a link between two
// switches. Each step's merge adds the received lists. Ranges count lists by the worker that made them, modulo p:
// {first, count} is first, first+1, ...
#pragma once

#include "models/schedules/parts/exchange.hpp"
#include "models/schedules/parts/schedule.hpp"
#include "models/schedules/parts/steps_form.hpp"

namespace gradflight {

class TopKAllGather final : public Schedule {
public:
  /// Throws std::invalid_argument unless workers >= 1.
  explicit TopKAllGather(int workers, AllGather way = AllGather::recursive_doubling);

  [[nodiscard]] int participants() const override { return workers_; }
  [[nodiscard]] int workers() const override { return workers_; }
  [[nodiscard]] int steps(int participant) const override;
  [[nodiscard]] Step step(std::int64_t n, int participant, int index) const override;
  [[nodiscard]] std::int64_t messages(int participant) const override { return steps(participant); }
  [[nodiscard]] int distinct_steps(int participant) const override;

private:
  [[nodiscard]] Step ring_step(int participant, int index) const;

  int workers_;
  AllGather way_;
};

extern const StepsForm topk_allgather_form;

} // namespace gradflight
