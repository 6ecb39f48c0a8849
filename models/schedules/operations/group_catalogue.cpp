#include "models/schedules/operations/group_catalogue.hpp"

#include "models/schedules/operations/parts/group_rows.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace gradflight {

namespace {

template <Operation... served> bool any_of(Operation op) { return ((op == served) || ...); }

constexpr GroupAlgorithm rows_of_groups[] = {
    {.name = "ring",
     .title = "ring",
     .documentation = "each rank hands blocks to the next one of a ring",
     .serves = any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::sendrecv>,
     .schedule = group_ring,
     .form = group_ring_form},
    {.name = "pairwise",
     .title = "pairwise exchange",
     .documentation = "each rank exchanges with one other rank after another",
     .serves = any_of<Operation::alltoall, Operation::reduce_scatter>,
     .schedule = group_pairwise,
     .form = group_pairwise_form},
    {.name = "spread",
     .alias = "direct",
     .title = "direct sends",
     .documentation = "every rank sends directly to each receiver, all messages at once",
     .serves = any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::alltoall,
                      Operation::broadcast, Operation::reduce, Operation::gather, Operation::scatter>,
     .schedule = group_spread,
     .form = group_spread_form},
    {.name = "bruck",
     .title = "Bruck",
     .documentation = "ceil(lg p) rounds at distances 1, 2, 4, ... for any number of ranks",
     .serves = any_of<Operation::all_gather, Operation::alltoall>,
     .schedule = group_bruck,
     .form = group_bruck_form},
    {.name = "recursive_doubling",
     .title = "recursive doubling",
     .documentation = "partners at distances 1, 2, 4, ... exchange all they have",
     .serves = any_of<Operation::all_reduce, Operation::all_gather>,
     .schedule = group_recursive_doubling,
     .form = group_recursive_doubling_form},
    {.name = "halving_doubling",
     .title = "recursive halving and doubling",
     .documentation = "reduce-scatter by halving vectors; all-gather by doubling them (Rabenseifner)",
     .serves = any_of<Operation::all_reduce, Operation::reduce_scatter>,
     .schedule = group_halving_doubling,
     .form = group_halving_doubling_form},
    {.name = "binomial_tree",
     .title = "binomial tree",
     .documentation = "whole messages along a binomial tree from or to the root",
     .serves = any_of<Operation::all_reduce, Operation::broadcast, Operation::reduce, Operation::gather,
                      Operation::scatter, Operation::barrier>,
     .schedule = group_binomial_tree,
     .form = group_binomial_tree_form},
    {.name = "scatter_allgather",
     .title = "scatter and all-gather",
     .documentation = "blocks are scattered along a binomial tree and gathered round a ring (van de Geijn)",
     .serves = any_of<Operation::broadcast>,
     .schedule = group_scatter_allgather,
     .form = group_scatter_allgather_form},
    {.name = "reduce_scatter_gather",
     .title = "reduce-scatter and gather",
     .documentation = "blocks are reduced round a ring and gathered along a binomial tree",
     .serves = any_of<Operation::reduce>,
     .schedule = group_reduce_scatter_gather,
     .form = group_reduce_scatter_gather_form},
    {.name = "chain",
     .title = "pipelined chain",
     .documentation = "chunks along a chain of all ranks",
     .chunks = true,
     .serves = any_of<Operation::all_reduce, Operation::broadcast, Operation::reduce>,
     .schedule = group_chain,
     .form = group_chain_form},
    {.name = "binary_tree",
     .title = "pipelined binary tree",
     .documentation = "chunks up and down one binary tree",
     .chunks = true,
     .serves = any_of<Operation::all_reduce, Operation::broadcast, Operation::reduce>,
     .schedule = group_binary_tree,
     .form = group_binary_tree_form},
    {.name = "double_binary_tree",
     .title = "double binary tree",
     .documentation = "each half of the vector in chunks up and down a tree of its own (NCCL)",
     .chunks = true,
     .serves = any_of<Operation::all_reduce, Operation::broadcast, Operation::reduce>,
     .schedule = group_double_binary_tree,
     .form = group_double_binary_tree_form},
    {.name = "two_level",
     .title = "two levels",
     .documentation = "inside nodes of group_size ranks, and across nodes along rails",
     .groups = true,
     .serves = any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::alltoall>,
     .schedule = group_two_level,
     .form = group_two_level_form},
    {.name = "in_switch",
     .title = "reduction in the switch",
     .documentation = "the switch adds up and multicasts chunks (SHARP)",
     .chunks = true,
     .needs_switch = true,
     .serves = any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::broadcast,
                      Operation::reduce, Operation::barrier>,
     .schedule = group_in_switch,
     .form = group_in_switch_form},
    {.name = "nvls",
     .title = "NVLS",
     .documentation = "the switch adds up; each rank is head of one block, which the switch multicasts",
     .chunks = true,
     .needs_switch = true,
     .serves = any_of<Operation::all_reduce>,
     .schedule = group_nvls,
     .form = group_nvls_form},
    {.name = "dissemination",
     .title = "dissemination",
     .documentation = "every rank signals the ranks at distances 1, 2, 4, ...",
     .serves = any_of<Operation::barrier>,
     .schedule = group_dissemination,
     .form = group_dissemination_form},
};

/// A group of one rank: it already has the result.
class NothingToDo final : public GroupSchedule {
public:
  [[nodiscard]] int ranks() const override { return 1; }
  [[nodiscard]] std::int64_t steps(int, int) const override { return 0; }
  [[nodiscard]] LaneStep step(int, int, std::int64_t) const override { return {}; }
  void contents(int, int, std::int64_t, std::vector<Piece>&) const override {}
};

void require_possible(const GroupAlgorithm& algorithm, const GroupSpec& spec) {
  std::vector<std::string> found = problems(spec);
  if (!algorithm.serves(spec.op)) found.push_back(unsupported_operation(algorithm, spec.op));
  if (!found.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(found, "; ")));
}

} // namespace

std::span<const GroupAlgorithm> group_algorithms() { return rows_of_groups; }

const GroupAlgorithm* group_algorithm(std::string_view name) {
  for (const GroupAlgorithm& row : group_algorithms())
    if (row.name == name || (!name.empty() && row.alias == name)) return &row;
  return nullptr;
}

std::vector<const GroupAlgorithm*> group_algorithms_for(Operation op) {
  std::vector<const GroupAlgorithm*> rows;
  for (const GroupAlgorithm& row : group_algorithms())
    if (row.serves(op)) rows.push_back(&row);
  return rows;
}

std::string unsupported_operation(const GroupAlgorithm& algorithm, Operation op) {
  std::vector<std::string_view> others;
  for (const GroupAlgorithm* other : group_algorithms_for(op)) others.push_back(other->name);
  return fmt::format("{} does not support {}. Allowed: {}", algorithm.name, operation_name(op),
                     fmt::join(others, ", "));
}

std::unique_ptr<GroupSchedule> make_group_schedule(const GroupAlgorithm& algorithm, const GroupSpec& spec) {
  require_possible(algorithm, spec);
  if (spec.ranks == 1) return std::make_unique<NothingToDo>();
  return algorithm.schedule(spec);
}

GroupFormResult group_form(const GroupAlgorithm& algorithm, const GroupSpec& spec, const FormLinks& links) {
  require_possible(algorithm, spec);
  if (spec.ranks == 1) return GroupForm{std::string(algorithm.name), "0: a group of one", "", {}, false, {}};
  return algorithm.form(spec, links);
}

} // namespace gradflight
