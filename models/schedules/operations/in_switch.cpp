// Reductions and multicasts in the switch, which is the only member besides the ranks (SHARP, NVLS).
//
// in_switch: all_reduce, reduce, broadcast go in chunks up to the switch and down from it (pipelined_trees.hpp). The
// switch adds rank 0's, rank 1's, ...; for reduce the root adds the others' sum to its own. all_gather: each rank's
// block goes up, all others' blocks come down in one message. reduce_scatter: all blocks go up, the rank's own sum
// comes down. barrier: an empty message each way. nvls, all_reduce by NVSwitch multicast: rank h is head of block h.
// The switch reads all ranks' vectors, sends each head its block's sum, receives it back, and multicasts it to the
// others (NCCL's NVLS).
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/parts/switch_blocks.hpp"
#include "models/schedules/operations/pipelined_trees.hpp"

#include <algorithm>

namespace gradflight {

MadeSchedule group_in_switch(const GroupSpec& spec) {
  using Turns = std::vector<SwitchTurn>;
  const int p = spec.ranks;
  if (spec.op == Operation::all_gather)
    return std::make_unique<SwitchBlocks>(spec,
                                          Turns{{true, SwitchLoad::own, false}, {false, SwitchLoad::others, false}});
  if (spec.op == Operation::reduce_scatter)
    return std::make_unique<SwitchBlocks>(spec, Turns{{true, SwitchLoad::all, true}, {false, SwitchLoad::own, false}});
  std::vector<TreeFlow> flows;
  flows.push_back(
      tree_flow(spec.op, has_root(spec.op) ? switch_tree_below(p, spec.root) : switch_tree(p), {0, spec.elements}));
  return std::make_unique<PipelinedTrees>(p, p + 1, spec.chunk, std::move(flows));
}

MadeSchedule group_nvls(const GroupSpec& spec) {
  return std::make_unique<SwitchBlocks>(spec, std::vector<SwitchTurn>{{true, SwitchLoad::all, true},
                                                                      {false, SwitchLoad::own, false},
                                                                      {true, SwitchLoad::own, false},
                                                                      {false, SwitchLoad::others, false}});
}

GroupFormResult group_in_switch_form(const GroupSpec& spec, const FormLinks& links) {
  const std::string name = "in_switch_" + std::string(operation_name(spec.op));
  PipelineStages stages;
  if (spec.op == Operation::barrier) return GroupForm{name, "2 alpha", "SHARP", elements_cost(links, 2, 0), false, {}};
  if (spec.op == Operation::all_gather || spec.op == Operation::reduce_scatter) {
    const bool gathers = spec.op == Operation::all_gather;
    stages.add_message(1, gathers ? 1 : spec.ranks);
    stages.add_message(1, gathers ? spec.ranks - 1 : 1);
    return GroupForm{name,
                     gathers ? "alpha + z beta + k (alpha + (p-1) z beta), k chunks of z = n/(pk)"
                             : "k (alpha + p z beta) + alpha + z beta, k chunks of z = n/(pk)",
                     "SHARP",
                     stages.total(pipeline_of(GroupBlocks(spec).largest(), spec.chunk), links),
                     false,
                     {equal_blocks(spec)}};
  }
  stages.add_message(2);
  if (spec.op == Operation::reduce) stages.add_reduction();
  return GroupForm{name,
                   spec.op == Operation::reduce
                       ? "2t + g + (k-1) max(t, g), t = alpha + z beta, g = z gamma, k chunks of z = n/k"
                       : "(k+1) (alpha + z beta), k chunks of z = n/k",
                   "SHARP",
                   stages.total(pipeline_of(spec.elements, spec.chunk), links),
                   false,
                   {}};
}

/// From the second chunk on the turns share ports, so the pipeline alone is only a bound.
GroupFormResult group_nvls_form(const GroupSpec& spec, const FormLinks& links) {
  const Pipeline chunks = pipeline_of(GroupBlocks(spec).largest(), spec.chunk);
  PipelineStages stages;
  stages.add_message(1, spec.ranks);
  stages.add_message(2);
  stages.add_message(1, spec.ranks - 1);
  const bool meets = chunks.count > 1;
  return GroupForm{"nvls_all_reduce",
                   meets ? "at least k (alpha + p z beta) + 3 alpha + (p+1) z beta, k chunks of z = n/(pk)"
                         : "4 alpha + (2 + 1/p) n beta",
                   "NCCL (NVLS)",
                   stages.total(chunks, links),
                   meets,
                   {equal_blocks(spec)}};
}

} // namespace gradflight
