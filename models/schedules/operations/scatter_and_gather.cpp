// Long vectors from and to a root, in blocks (van de Geijn; Thakur et al. 2005).
//
// scatter_allgather, broadcast: a binomial scatter of p blocks from the root, then a ring all-gather that sends no rank
// the blocks it already has. reduce_scatter_gather, reduce: a ring reduce-scatter, in which each rank adds its own to
// what comes, then a binomial gather of the finished blocks to the root.
#include "models/schedules/algorithms/binomial.hpp"

#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/run_schedule.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// Number of blocks of a node's binomial subtree: the node and those after it.
int subtree_size(int node, int p) { return node == 0 ? p : std::min(node & -node, p - node); }

/// A step of a binomial gather or scatter; it carries the subtree of the lower node.
RunStep subtree_step(const Step& tree, int node, int p) {
  const int child = std::max(node, std::max(tree.to, tree.from));
  RunStep step;
  step.to = tree.to;
  step.from = tree.from;
  (tree.to != no_rank ? step.out : step.in) = {child, subtree_size(child, p)};
  return step;
}

class ScatterAllGather final : public RunSchedule {
public:
  using RunSchedule::RunSchedule;

protected:
  [[nodiscard]] std::int64_t node_steps(int node) const override { return scatters(node) + p() - 1; }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    const int i = static_cast<int>(index) - scatters(node);
    if (i < 0) return subtree_step(BinomialNode{node, p()}.broadcast({}, static_cast<int>(index)), node, p());
    // Sends block node - i, receives the one before. Even nodes have that block at the end of the round, odd nodes
    // never, so no round is empty.
    RunStep step;
    const int sent = wrap(node - i), received = wrap(sent - 1), next = wrap(node + 1);
    if (!has(next, sent)) {
      step.to = next;
      step.out = {sent, 1};
    }
    if (!has(node, received)) {
      step.from = wrap(node - 1);
      step.in = {received, 1};
    }
    return step;
  }

private:
  [[nodiscard]] int scatters(int node) const { return BinomialNode{node, p()}.steps(); }
  [[nodiscard]] bool has(int node, int block) const { return block >= node && block < node + subtree_size(node, p()); }
};

class ReduceScatterGather final : public RunSchedule {
public:
  using RunSchedule::RunSchedule;

protected:
  [[nodiscard]] std::int64_t node_steps(int node) const override { return p() - 1 + BinomialNode{node, p()}.steps(); }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    const int i = static_cast<int>(index);
    if (i >= p() - 1) return subtree_step(BinomialNode{node, p()}.reduce({}, i - p() + 1, Combine::take), node, p());
    const int sent = wrap(node - i - 1);
    RunStep step;
    step.to = wrap(node + 1);
    step.from = wrap(node - 1);
    step.out = {sent, 1};
    step.in = {wrap(sent - 1), 1};
    step.combine = Combine::reduce;
    return step;
  }
};

} // namespace

MadeSchedule group_scatter_allgather(const GroupSpec& spec) { return std::make_unique<ScatterAllGather>(spec); }
MadeSchedule group_reduce_scatter_gather(const GroupSpec& spec) { return std::make_unique<ReduceScatterGather>(spec); }

GroupFormResult group_scatter_allgather_form(const GroupSpec& spec, const FormLinks& links) {
  const double others = spec.ranks - 1, block = static_cast<double>(GroupBlocks(spec).largest());
  return GroupForm{"scatter_allgather_broadcast",
                   "(ceil(lg p) + p - 1) alpha + 2((p-1)/p) n beta",
                   "Thakur et al. 2005 (van de Geijn)",
                   elements_cost(links, ceil_lg(spec.ranks) + others, 2 * others * block),
                   false,
                   {equal_blocks(spec)}};
}

GroupFormResult group_reduce_scatter_gather_form(const GroupSpec& spec, const FormLinks& links) {
  const double others = spec.ranks - 1, block = static_cast<double>(GroupBlocks(spec).largest());
  return GroupForm{"reduce_scatter_gather_reduce",
                   "(ceil(lg p) + p - 1) alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma",
                   "Thakur et al. 2005",
                   elements_cost(links, ceil_lg(spec.ranks) + others, 2 * others * block, others * block),
                   false,
                   {equal_blocks(spec)}};
}

} // namespace gradflight
