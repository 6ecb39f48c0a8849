// Pairwise exchanges, one partner at a time.
//
// alltoall: in round k = 1, 2, ..., p - 1 with rank xor k if p is a power of two, else to rank + k and from rank - k
// (Thakur et al. 2005). Blocks may have any size; an empty one is an empty message. reduce_scatter: in round k a rank
// sends rank + k the block of that rank and adds rank - k's part to its own (MPICH's pairwise exchange): its own first,
// then rank - 1, rank - 2, ... Time with equal blocks: (p-1) alpha + ((p-1)/p) n beta; reductions add
// ((p-1)/p) n gamma.
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/run_schedule.hpp"

namespace gradflight {

namespace {

class PairwiseAlltoall final : public GroupSchedule {
public:
  explicit PairwiseAlltoall(const GroupSpec& spec) : p_(spec.ranks), blocks_(spec) {}
  [[nodiscard]] int ranks() const override { return p_; }
  [[nodiscard]] bool one_message_a_pair() const override { return true; }
  [[nodiscard]] std::int64_t steps(int, int) const override { return p_ - 1; }
  [[nodiscard]] LaneStep step(int, int member, std::int64_t index) const override {
    const int k = static_cast<int>(index) + 1;
    Step step;
    step.to = to(member, k);
    step.from = is_power_of_two(p_) ? step.to : (member + p_ - k) % p_;
    step.out = {0, blocks_.count(step.to)};
    step.in = {0, blocks_.count(member)};
    return {step};
  }
  void contents(int, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    pieces.push_back(blocks_.piece(member, to(member, static_cast<int>(index) + 1)));
  }

private:
  [[nodiscard]] int to(int member, int k) const { return is_power_of_two(p_) ? member ^ k : (member + k) % p_; }
  int p_;
  PairBlocks blocks_;
};

class PairwiseReduceScatter final : public RunSchedule {
public:
  using RunSchedule::RunSchedule;
  [[nodiscard]] bool one_message_a_pair() const override { return true; }

protected:
  [[nodiscard]] std::int64_t node_steps(int) const override { return p() - 1; }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    const int k = static_cast<int>(index) + 1;
    RunStep step;
    step.to = wrap(node + k);
    step.from = wrap(node - k);
    step.out = {step.to, 1};
    step.in = {node, 1};
    step.combine = Combine::reduce;
    return step;
  }
};

} // namespace

MadeSchedule group_pairwise(const GroupSpec& spec) {
  if (spec.op == Operation::alltoall) return std::make_unique<PairwiseAlltoall>(spec);
  return std::make_unique<PairwiseReduceScatter>(spec);
}

GroupFormResult group_pairwise_form(const GroupSpec& spec, const FormLinks& links) {
  const double others = spec.ranks - 1;
  const bool reduces = spec.op == Operation::reduce_scatter;
  const double block = spec.op == Operation::alltoall ? static_cast<double>(PairBlocks(spec).count(0))
                                                      : static_cast<double>(GroupBlocks(spec).largest());
  return GroupForm{reduces ? "pairwise_reduce_scatter" : "pairwise_alltoall",
                   reduces ? "(p-1) alpha + ((p-1)/p) n (beta + gamma)" : "(p-1) alpha + ((p-1)/p) n beta",
                   "Thakur et al. 2005",
                   elements_cost(links, others, others * block, reduces ? others * block : 0),
                   false,
                   {equal_blocks(spec)}};
}

} // namespace gradflight
