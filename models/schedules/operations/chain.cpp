// A chain of all ranks from the root: root, root + 1, ..., root - 1, in chunks (pipelined_trees.hpp).
//
// broadcast: along the chain. reduce: back along it; each rank adds the sum of the ranks behind to its own. all_reduce:
// back to rank 0 and along again, side by side; both ways share the ports of the inner ranks. NCCL's broadcast and
// reduce use this order on a ring.
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/pipelined_trees.hpp"

namespace gradflight {

MadeSchedule group_chain(const GroupSpec& spec) {
  const int root = has_root(spec.op) ? spec.root : 0;
  std::vector<TreeFlow> flows;
  flows.push_back(tree_flow(spec.op, chain_tree(spec.ranks, root), {0, spec.elements}));
  return std::make_unique<PipelinedTrees>(spec.ranks, spec.ranks, spec.chunk, std::move(flows));
}

GroupFormResult group_chain_form(const GroupSpec& spec, const FormLinks& links) {
  const Pipeline chunks = pipeline_of(spec.elements, spec.chunk);
  const bool both = spec.op == Operation::all_reduce;
  const int hops = spec.ranks - 1;
  PipelineStages stages;
  for (int hop = 0; hop < hops; ++hop) {
    stages.add_message(1);
    if (spec.op != Operation::broadcast) stages.add_reduction();
  }
  if (both) stages.add_message(hops);
  // From the third chunk on, the two ways meet in the ports of the inner ranks.
  const bool meets = both && spec.ranks > 2 && chunks.count > 2;
  const std::string where = ", t = alpha + z beta, g = z gamma, k chunks of z = n/k";
  std::string formula = "(p - 2 + k) (alpha + z beta), k chunks of z = n/k";
  if (spec.op == Operation::reduce) formula = "(p-1) (t + g) + (k-1) max(t, g)" + where;
  if (both)
    formula =
        (meets ? "at least 2(p-1) t + (p-1) g + (k-1) max(t, g)" : "2(p-1) t + (p-1) g + (k-1) max(t, g)") + where;
  return GroupForm{
      "chain_" + std::string(operation_name(spec.op)), formula, "pipelined chain", stages.total(chunks, links), meets,
      {equal_chunks(spec.elements, spec.chunk)}};
}

} // namespace gradflight
