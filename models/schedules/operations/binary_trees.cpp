// Binary trees in chunks: one heap, or NCCL's two trees with half of the vector each.
//
// broadcast goes down, reduce up, all_reduce and the like up and down. A rank adds its first child's sum to its own,
// then its second child's. binary_tree: nodes are counted from the root; node v is above 2v + 1 and 2v + 2.
// double_binary_tree: all_reduce uses NCCL's trees over all ranks. Tree 0's root is rank 0; tree 1's is the last rank
// if p is even, rank 1 if it is odd. Each rank is an inner node of at most one tree, except the root of tree 0 if p is
// odd. Lanes: tree 0 up, down, tree 1 up, down. With a root both trees span the other ranks and the root is above them
// (Sanders, Speck and Traeff 2009). The first half is the larger one; a half without elements is still sent, as empty
// messages.
#include "models/schedules/operations/parts/form_parts.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"
#include "models/schedules/operations/pipelined_trees.hpp"

#include <algorithm>

namespace gradflight {

MadeSchedule group_binary_tree(const GroupSpec& spec) {
  const int root = has_root(spec.op) ? spec.root : 0;
  std::vector<TreeFlow> flows;
  flows.push_back(tree_flow(spec.op, heap_tree(spec.ranks, root), {0, spec.elements}));
  return std::make_unique<PipelinedTrees>(spec.ranks, spec.ranks, spec.chunk, std::move(flows));
}

MadeSchedule group_double_binary_tree(const GroupSpec& spec) {
  const Blocks halves(spec.elements, 2);
  std::vector<TreeFlow> flows;
  for (const int which : {0, 1})
    flows.push_back(tree_flow(
        spec.op, has_root(spec.op) ? double_tree_below(spec.ranks, spec.root, which) : double_tree(spec.ranks, which),
        halves.range(which)));
  return std::make_unique<PipelinedTrees>(spec.ranks, spec.ranks, spec.chunk, std::move(flows));
}

namespace {

/// The condition that every level of the heap is full.
FormCondition full_tree(int p) {
  return {"full_tree", "p + 1 is a power of two: all levels full", is_power_of_two(p + 1)};
}

/// Number of levels below the root of tree 0, to its farthest rank.
int double_tree_depth(const GroupSpec& spec, int which) {
  const auto tree =
      has_root(spec.op) ? double_tree_below(spec.ranks, spec.root, which) : double_tree(spec.ranks, which);
  int deepest = 0;
  for (int rank = 0; rank < spec.ranks; ++rank) {
    int depth = 0;
    for (int above = tree->parent(rank); above != no_rank; above = tree->parent(above)) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

} // namespace

GroupFormResult group_binary_tree_form(const GroupSpec& spec, const FormLinks& links) {
  const int p = spec.ranks, depth = floor_lg(p);
  const Pipeline chunks = pipeline_of(spec.elements, spec.chunk);
  const std::string name = "binary_tree_" + std::string(operation_name(spec.op)), source = "pipelined binary tree";
  PipelineStages stages;
  if (spec.op == Operation::broadcast) {
    // p = 2^k: the last level has a single node, and its parent has no other child.
    stages.add_two_messages(is_power_of_two(p) ? depth - 1 : depth);
    if (is_power_of_two(p)) stages.add_message(1);
    return GroupForm{name,
                     is_power_of_two(p) && p > 2
                         ? "(d + k - 2) (alpha + 2z beta) + alpha + z beta, d = lg p, k chunks of z = n/k"
                     : p == 2 ? "k (alpha + z beta), k chunks of z = n/k"
                              : "(d + k - 1) (alpha + 2z beta), d = floor(lg p), k chunks of z = n/k",
                     source,
                     stages.total(chunks, links),
                     false,
                     {}};
  }
  const bool both = spec.op == Operation::all_reduce;
  for (int level = 0; level < depth; ++level) {
    stages.add_two_messages(1);
    stages.add_reduction(2);
  }
  if (both) stages.add_two_messages(depth);
  const bool meets = both && chunks.count > 1;
  const std::string where = ", t = alpha + 2z beta, g = 2z gamma, d = floor(lg p), k chunks of z = n/k";
  return GroupForm{name,
                   (meets  ? "at least d (2t + g) + (k-1) max(t, g)"
                    : both ? "d (2t + g) + (k-1) max(t, g)"
                           : "d (t + g) + (k-1) max(t, g)") +
                       where,
                   source,
                   stages.total(chunks, links),
                   meets,
                   {full_tree(p)}};
}

/// For two and three ranks with a root, with all messages in step. Both halves share the root's port, and with three
/// ranks the last chunk is forwarded alone between the others. Reductions of both trees would share a rank.
GroupForm small_double_tree(const GroupSpec& spec, const FormLinks& links, const std::string& name) {
  const Pipeline chunks = pipeline_of(spec.elements / 2, spec.chunk);
  PipelineStages stages;
  stages.add_two_messages(1);
  stages.add_message(spec.ranks - 2);
  const bool sums = spec.op == Operation::reduce;
  return {name,
          spec.ranks == 2 ? "k (alpha + 2z beta), k chunks of z = n/(2k)"
                          : "k (alpha + 2z beta) + alpha + z beta, k chunks of z = n/(2k)",
          "Sanders, Speck and Traeff 2009",
          stages.total(chunks, links),
          false,
          {{"equal_halves", "the number of elements is even", spec.elements % 2 == 0},
           {"free_reductions", "reductions take no time", !sums || links.link.gamma == 0},
           equal_chunks(spec.elements / 2, spec.chunk)}};
}

/// The larger of two bounds, since both trees share the ports: the data on the ports (the mean rank sends 2((p-1)/p) n
/// of an all-reduce; in other operations each rank receives or sends n), and the path of a tree's last chunk behind all
/// others.
GroupFormResult group_double_binary_tree_form(const GroupSpec& spec, const FormLinks& links) {
  const Blocks halves(spec.elements, 2);
  const double p = spec.ranks, n = static_cast<double>(spec.elements);
  const bool both = spec.op == Operation::all_reduce;
  const std::string name = "double_binary_tree_" + std::string(operation_name(spec.op));
  if (!both && spec.ranks <= 3) return small_double_tree(spec, links, name);
  GroupForm form{name,
                 std::string("at least the longer of ") + (both ? "alpha + 2((p-1)/p) n beta" : "alpha + n beta") +
                     " and (" + (both ? "2d" : "d") +
                     " + k - 1) (alpha + z beta), d the deeper tree's levels, k chunks of z = n/(2k)",
                 "Sanders, Speck and Traeff 2009",
                 elements_cost(links, 1, both ? 2 * (p - 1) / p * n : n),
                 true,
                 {}};
  for (const int which : {0, 1}) {
    const std::int64_t half = halves.range(which).count;
    const Pipeline chunks = pipeline_of(half, spec.chunk);
    PipelineStages stages;
    stages.add_message((both ? 2 : 1) * double_tree_depth(spec, which));
    const CollectiveCost way = stages.total(chunks, links);
    if (way.total() > form.cost.total()) form.cost = way;
  }
  return form;
}

} // namespace gradflight
