// Binomial trees from the root, in ceil(lg p) rounds, any p (algorithms/binomial.hpp; Thakur et al. 2005).
//
// broadcast and scatter: a node sends to its farthest child first. reduce and gather: it receives from the nearest
// first, and adds to its own in this order. all_reduce: reduce to rank 0 and broadcast; barrier: the same without data.
// gather and scatter put the blocks of a whole subtree into one message.
#include "models/schedules/algorithms/binomial.hpp"

#include "models/forms/form_collectives.hpp"
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/run_schedule.hpp"

#include <algorithm>

namespace gradflight {

namespace {

class BinomialOfGroup final : public RunSchedule {
public:
  explicit BinomialOfGroup(const GroupSpec& spec)
      : RunSchedule(spec), op_(spec.op), up_(op_ != Operation::broadcast && op_ != Operation::scatter),
        down_(op_ != Operation::reduce && op_ != Operation::gather) {}

protected:
  [[nodiscard]] std::int64_t node_steps(int node) const override {
    return std::int64_t{BinomialNode{node, p()}.steps()} * ((up_ ? 1 : 0) + (down_ ? 1 : 0));
  }
  [[nodiscard]] RunStep node_step(int node, std::int64_t index) const override {
    const BinomialNode tree{node, p()};
    const int i = static_cast<int>(index), ups = up_ ? tree.steps() : 0;
    const Step step = i < ups ? tree.reduce({}, i, op_ == Operation::gather ? Combine::take : Combine::reduce)
                              : tree.broadcast({}, i - ups);
    const BlockRun moved = run(step.to != no_rank ? step.to : step.from, node);
    RunStep next;
    next.to = step.to;
    next.from = step.from;
    (step.to != no_rank ? next.out : next.in) = moved;
    next.combine = step.combine;
    return next;
  }

private:
  /// The blocks that a node and its parent exchange.
  [[nodiscard]] BlockRun run(int a, int b) const {
    if (op_ != Operation::gather && op_ != Operation::scatter) return {0, p()};
    const int child = std::max(a, b);
    return {child, std::min(child & -child, p() - child)};
  }
  Operation op_;
  bool up_, down_;
};

} // namespace

MadeSchedule group_binomial_tree(const GroupSpec& spec) { return std::make_unique<BinomialOfGroup>(spec); }

GroupFormResult group_binomial_tree_form(const GroupSpec& spec, const FormLinks& links) {
  const int p = spec.ranks;
  const double rounds = ceil_lg(p), n = static_cast<double>(spec.elements), bytes = n * links.element_bytes;
  const std::string source = "Thakur et al. 2005";
  switch (spec.op) {
  case Operation::broadcast:
    return GroupForm{"binomial_broadcast",
                     "ceil(lg p) (alpha + n beta)",
                     source,
                     broadcast_binomial(p, bytes, links.link),
                     false,
                     {}};
  case Operation::reduce:
    return GroupForm{"binomial_reduce",
                     "ceil(lg p) (alpha + n beta + n gamma)",
                     source,
                     reduce_binomial(p, bytes, links.link),
                     false,
                     {}};
  case Operation::all_reduce:
    return GroupForm{"binomial_all_reduce",
                     binomial_tree_form.texts({}, p).formula,
                     source,
                     allreduce_binomial_tree(p, bytes, links.link),
                     false,
                     {}};
  case Operation::barrier:
    return GroupForm{"binomial_barrier", "2 ceil(lg p) alpha", source, elements_cost(links, 2 * rounds, 0), false, {}};
  default: break;
  }
  return GroupForm{spec.op == Operation::gather ? "binomial_gather" : "binomial_scatter",
                   "ceil(lg p) alpha + ((p-1)/p) n beta",
                   source,
                   elements_cost(links, rounds, (p - 1) * static_cast<double>(GroupBlocks(spec).largest())),
                   false,
                   {equal_blocks(spec)}};
}

} // namespace gradflight
