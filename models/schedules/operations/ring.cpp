// Operations on a directed ring: rank i sends to i + 1 while it receives from i - 1.
//
// all_reduce: like training (algorithms/ring.hpp): reduce-scatter, then all-gather. all_gather: each rank forwards what
// came last, p - 1 rounds. reduce_scatter: block b starts at rank b + 1, and each rank on the way adds its own: b + 2,
// b + 3, ..., b. sendrecv: a single round with a separate message (nccl-tests). Blocks need not be equal: an empty one
// is an empty message. Time of p - 1 rounds: a largest block travels in each of them and never waits.
#include "models/schedules/algorithms/ring.hpp"

#include "models/forms/form_collectives.hpp"
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/run_schedule.hpp"

namespace gradflight {

namespace {

class RingOfBlocks final : public RunSchedule {
public:
  explicit RingOfBlocks(const GroupSpec& spec) : RunSchedule(spec), reduces_(spec.op == Operation::reduce_scatter) {}

protected:
  [[nodiscard]] std::int64_t node_steps(int) const override { return p() - 1; }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    const int sent = wrap(node - static_cast<int>(index) - (reduces_ ? 1 : 0));
    RunStep step;
    step.to = wrap(node + 1);
    step.from = wrap(node - 1);
    step.out = {sent, 1};
    step.in = {wrap(sent - 1), 1};
    step.combine = reduces_ ? Combine::reduce : Combine::take;
    return step;
  }

private:
  bool reduces_;
};

class RingOfNeighbours final : public GroupSchedule {
public:
  explicit RingOfNeighbours(const GroupSpec& spec) : p_(spec.ranks), message_{0, spec.elements} {}
  [[nodiscard]] int ranks() const override { return p_; }
  [[nodiscard]] std::int64_t steps(int, int) const override { return 1; }
  [[nodiscard]] LaneStep step(int, int member, std::int64_t) const override {
    Step step;
    step.to = (member + 1) % p_;
    step.from = (member + p_ - 1) % p_;
    step.out = step.in = message_;
    return {step};
  }
  void contents(int, int member, std::int64_t, std::vector<Piece>& pieces) const override {
    pieces.push_back({member, (member + 1) % p_, message_});
  }

private:
  int p_;
  Range message_;
};

} // namespace

MadeSchedule group_ring(const GroupSpec& spec) {
  if (spec.op == Operation::all_reduce) return as_group(spec, std::make_unique<RingAllReduce>(spec.ranks));
  if (spec.op == Operation::sendrecv) return std::make_unique<RingOfNeighbours>(spec);
  return std::make_unique<RingOfBlocks>(spec);
}

GroupFormResult group_ring_form(const GroupSpec& spec, const FormLinks& links) {
  const double others = spec.ranks - 1, n = static_cast<double>(spec.elements);
  const std::string source = "Thakur et al. 2005";
  if (spec.op == Operation::sendrecv)
    return GroupForm{"ring_sendrecv", "alpha + n beta", "nccl-tests", elements_cost(links, 1, n), false, {}};
  const GroupBlocks blocks(spec);
  const auto block = static_cast<double>(blocks.largest());
  if (spec.op == Operation::all_reduce)
    return GroupForm{"ring_all_reduce",
                     "2(p-1) (alpha + b beta) + (p-1) b gamma, b the largest block, n/p where p divides n",
                     source,
                     allreduce_ring_blocks(spec.ranks, block * links.element_bytes, links.link),
                     false,
                     {}};
  const bool reduces = spec.op == Operation::reduce_scatter;
  return GroupForm{reduces ? "ring_reduce_scatter" : "ring_all_gather",
                   reduces ? "(p-1) (alpha + b beta + b gamma), b the largest block, n/p where p divides n"
                           : "(p-1) (alpha + b beta), b the largest block, n/p where p divides n",
                   source,
                   elements_cost(links, others, others * block, reduces ? others * block : 0),
                   false,
                   {}};
}

} // namespace gradflight
