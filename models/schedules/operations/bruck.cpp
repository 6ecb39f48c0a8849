// Bruck's algorithms, any number of ranks in ceil(lg p) rounds (Bruck et al. 1997).
//
// all_gather: a rank holds blocks rank .. rank + h - 1. In a round it sends them to rank - h and receives the next h
// from rank + h, in the last round only the missing ones. alltoall: the distance of a block is target - source modulo
// p. In round k, blocks with bit k in their distance go to rank + 2^k. So each block moves as often as its distance has
// bits. Blocks need not be equal.
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/run_schedule.hpp"

#include <algorithm>

namespace gradflight {

namespace {

class BruckAllGather final : public RunSchedule {
public:
  using RunSchedule::RunSchedule;
  [[nodiscard]] bool one_message_a_pair() const override { return true; }

protected:
  [[nodiscard]] std::int64_t node_steps(int) const override { return ceil_lg(p()); }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    const int held = 1 << index, moved = std::min(held, p() - held);
    RunStep step;
    step.to = wrap(node - held);
    step.from = wrap(node + held);
    step.out = {node, moved};
    step.in = {step.from, moved};
    return step;
  }
};

/// Returns how many distances 1 .. p - 1 have bit k.
std::int64_t ways_with_bit(int p, int k) {
  const std::int64_t bit = std::int64_t{1} << k, period = 2 * bit;
  return p / period * bit + std::max<std::int64_t>(0, p % period - bit);
}

class BruckAlltoall final : public GroupSchedule {
public:
  explicit BruckAlltoall(const GroupSpec& spec) : p_(spec.ranks), blocks_(spec) {}
  [[nodiscard]] int ranks() const override { return p_; }
  [[nodiscard]] bool one_message_a_pair() const override { return true; }
  [[nodiscard]] std::int64_t steps(int, int) const override { return ceil_lg(p_); }
  [[nodiscard]] LaneStep step(int, int member, std::int64_t index) const override {
    const int round = static_cast<int>(index);
    Step step;
    step.to = (member + (1 << round)) % p_;
    step.from = (member + p_ - (1 << round)) % p_;
    step.out = {0, sent(member, round)};
    step.in = {0, sent(step.from, round)};
    return {step};
  }
  void contents(int, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    for_each_sent(member, static_cast<int>(index),
                  [&](int source, int target) { pieces.push_back(blocks_.piece(source, target)); });
  }

private:
  template <class F> void for_each_sent(int member, int round, const F& found) const {
    const int bit = 1 << round;
    for (int way = bit; way < p_; ++way) {
      if ((way & bit) == 0) continue;
      const int source = (member + p_ - (way & (bit - 1))) % p_;
      found(source, (source + way) % p_);
    }
  }
  [[nodiscard]] std::int64_t sent(int member, int round) const {
    if (blocks_.equal()) return ways_with_bit(p_, round) * blocks_.count(0);
    std::int64_t elements = 0;
    for_each_sent(member, round, [&](int, int target) { elements += blocks_.count(target); });
    return elements;
  }
  int p_;
  PairBlocks blocks_;
};

} // namespace

MadeSchedule group_bruck(const GroupSpec& spec) {
  if (spec.op == Operation::alltoall) return std::make_unique<BruckAlltoall>(spec);
  return std::make_unique<BruckAllGather>(spec);
}

GroupFormResult group_bruck_form(const GroupSpec& spec, const FormLinks& links) {
  const int p = spec.ranks;
  if (spec.op == Operation::all_gather) {
    const auto block = static_cast<double>(GroupBlocks(spec).largest());
    return GroupForm{"bruck_all_gather",
                     "ceil(lg p) alpha + ((p-1)/p) n beta",
                     "Bruck et al. 1997; Thakur et al. 2005",
                     elements_cost(links, ceil_lg(p), (p - 1) * block),
                     false,
                     {equal_blocks(spec)}};
  }
  double blocks = 0;
  for (int k = 0; k < ceil_lg(p); ++k) blocks += static_cast<double>(ways_with_bit(p, k));
  return GroupForm{"bruck_alltoall",
                   is_power_of_two(p) ? "lg p (alpha + (n/2) beta)"
                                      : "ceil(lg p) alpha + (w/p) n beta, w the bits set in 1, 2, ..., p - 1",
                   "Bruck et al. 1997; Thakur et al. 2005",
                   elements_cost(links, ceil_lg(p), blocks * static_cast<double>(PairBlocks(spec).count(0))),
                   false,
                   {equal_blocks(spec)}};
}

} // namespace gradflight
