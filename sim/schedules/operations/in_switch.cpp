// Reductions and multicasts in the switch, which is one member more than ranks (SHARP, NVLS).
//
// in_switch: all_reduce, reduce, broadcast in chunks up to the switch and down from it (pipelined_trees.hpp); the
// switch adds up rank 0's, rank 1's, ...; on reduce the root adds the others' sum to its own. all_gather: each rank's
// block up, all others' blocks down in one message. reduce_scatter: all blocks up, the rank's own sum down. barrier: an
// empty message each way. nvls, all_reduce on the multicast of NVSwitch: rank h is head of block h. The switch reads
// all ranks' vectors, gives each head its block's sum, gets it back, and multicasts it to the others (NCCL's NVLS).
#include "sim/schedules/operations/form_parts.hpp"
#include "sim/schedules/operations/group_rows.hpp"
#include "sim/schedules/operations/pipelined_trees.hpp"
#include "sim/schedules/operations/switch_blocks.hpp"

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
  flows.push_back(tree_flow(spec.op, has_root(spec.op) ? switch_tree_below(p, spec.root) : switch_tree(p),
                            {0, spec.counts.elements}));
  return std::make_unique<PipelinedTrees>(p, p + 1, spec.chunk, std::move(flows));
}

MadeSchedule group_nvls(const GroupSpec& spec) {
  return std::make_unique<SwitchBlocks>(spec, std::vector<SwitchTurn>{{true, SwitchLoad::all, true},
                                                                      {false, SwitchLoad::own, false},
                                                                      {true, SwitchLoad::own, false},
                                                                      {false, SwitchLoad::others, false}});
}

GroupFormResult group_in_switch_form(const GroupSpec& spec, const FormLinks& links) {
  const GroupBlocks blocks(spec);
  const double p = spec.ranks;
  if (spec.op == Operation::barrier)
    return GroupForm{"in_switch_barrier", "2 alpha", "SHARP", elements_cost(links, 2, 0), false, {}};
  if (spec.op == Operation::all_gather || spec.op == Operation::reduce_scatter) {
    const bool gathers = spec.op == Operation::all_gather;
    const std::int64_t block = blocks.largest();
    const auto k = static_cast<double>(chunk_count(block, spec.chunk)), z = static_cast<double>(block) / k;
    return GroupForm{gathers ? "in_switch_all_gather" : "in_switch_reduce_scatter",
                     gathers ? "alpha + z beta + k (alpha + (p-1) z beta), k chunks of z = n/(pk)"
                             : "k (alpha + p z beta) + alpha + z beta, k chunks of z = n/(pk)",
                     "SHARP",
                     elements_cost(links, k + 1, z + k * z * (gathers ? p - 1 : p)),
                     false,
                     {equal_blocks(spec), equal_chunks(block, spec.chunk)}};
  }
  const Pipeline chunks = pipeline_of(spec.counts.elements, spec.chunk);
  PipelineStages stages;
  stages.add(2, elements_cost(links, 1, chunks.elements));
  if (spec.op == Operation::reduce) stages.add(1, elements_cost(links, 0, 0, chunks.elements));
  return GroupForm{"in_switch_" + std::string(operation_name(spec.op)),
                   spec.op == Operation::reduce
                       ? "2 t + g + (k-1) max(t, g), t = alpha + z beta, g = z gamma, k chunks of z = n/k"
                       : "(k+1) (alpha + z beta), k chunks of z = n/k",
                   "SHARP",
                   stages.total(chunks.count),
                   false,
                   {equal_chunks(spec.counts.elements, spec.chunk)}};
}

GroupFormResult group_nvls_form(const GroupSpec& spec, const FormLinks& links) {
  const std::int64_t block = GroupBlocks(spec).largest();
  const auto k = static_cast<double>(chunk_count(block, spec.chunk)), z = static_cast<double>(block) / k;
  const double p = spec.ranks;
  return GroupForm{"nvls_all_reduce",
                   k > 1 ? "at least k (alpha + p z beta) + 3 alpha + (p+1) z beta, k chunks of z = n/(pk)"
                         : "4 alpha + (2 + 1/p) n beta",
                   "NCCL (NVLS)",
                   elements_cost(links, k + 3, k * p * z + (p + 1) * z),
                   k > 1,
                   {equal_blocks(spec), equal_chunks(block, spec.chunk)}};
}

} // namespace gradflight
