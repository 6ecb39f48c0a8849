#include "models/schedules/catalogue.hpp"

#include "base/letters.hpp"
#include "models/schedules/algorithms/binomial.hpp"
#include "models/schedules/algorithms/blocking_ring.hpp"
#include "models/schedules/algorithms/halving_doubling.hpp"
#include "models/schedules/algorithms/hierarchical.hpp"
#include "models/schedules/algorithms/parameter_server.hpp"
#include "models/schedules/algorithms/recursive_doubling.hpp"
#include "models/schedules/algorithms/ring.hpp"
#include "models/schedules/algorithms/sharded.hpp"
#include "models/schedules/algorithms/topk_allgather.hpp"
#include "models/schedules/operations/parts/group_rows.hpp"

#include <algorithm>

namespace gradflight {

namespace {

using SchedulePtr = std::unique_ptr<Schedule>;

/// Makes a schedule that depends only on the number of ranks.
template <class S> SchedulePtr plain(const ExchangeSpec&, int workers) { return std::make_unique<S>(workers); }
template <class S> SchedulePtr plain_top(int masters) { return std::make_unique<S>(masters); }

template <Operation... served> bool any_of(Operation op) { return ((op == served) || ...); }

constexpr NoForm no_library_form{"a library chooses and divides each call by its size, which no formula describes; its "
                                 "own estimate is listed with its calls"};

constexpr Collective rows[] = {
    {.name = "parameter_server",
     .title = "parameter server",
     .documentation = "workers push to servers, which sum, update, and hand the result back",
     .keys = {.servers = true},
     .schedule = [](const ExchangeSpec& x, int workers) { return make_parameter_server(x, workers, Leg::both); },
     .among_masters = gather_and_send_back,
     .helpers = [](const ExchangeSpec& x, int) { return x.servers; },
     .form = ServersForm{}},
    {.name = "ring",
     .title = "ring",
     .documentation = "reduce-scatter, then all-gather, round one directed ring",
     .keys = {.pieces = true},
     .round_ring = true,
     .schedule = [](const ExchangeSpec& x, int workers) -> SchedulePtr {
       return std::make_unique<RingAllReduce>(workers, x.pieces);
     },
     .among_masters = plain_top<RingAllReduce>,
     .form = &ring_form,
     .group = {.serves =
                   any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::sendrecv>,
               .schedule = group_ring,
               .form = group_ring_form}},
    {.name = "pairwise",
     .title = "pairwise exchange",
     .documentation = "each rank exchanges with one other rank after another",
     .group = {.serves = any_of<Operation::alltoall, Operation::reduce_scatter>,
               .schedule = group_pairwise,
               .form = group_pairwise_form}},
    {.name = "spread",
     .alias = "direct",
     .title = "direct sends",
     .documentation = "every rank sends directly to each receiver, all messages at once",
     .form = CallForm{},
     .group = {.serves =
                   any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::alltoall,
                          Operation::broadcast, Operation::reduce, Operation::gather, Operation::scatter>,
               .schedule = group_spread,
               .form = group_spread_form}},
    {.name = "bruck",
     .title = "Bruck",
     .documentation = "ceil(lg p) rounds at distances 1, 2, 4, ... for any number of ranks",
     .group = {.serves = any_of<Operation::all_gather, Operation::alltoall>,
               .schedule = group_bruck,
               .form = group_bruck_form}},
    {.name = "recursive_doubling",
     .title = "recursive doubling",
     .documentation = "partners at distance 1, 2, 4, ... exchange and add whole vectors",
     .schedule = plain<RecursiveDoubling>,
     .among_masters = plain_top<RecursiveDoubling>,
     .form = &recursive_doubling_form,
     .group = {.serves = any_of<Operation::all_reduce, Operation::all_gather>,
               .schedule = group_recursive_doubling,
               .form = group_recursive_doubling_form}},
    {.name = "halving_doubling",
     .title = "recursive halving and doubling",
     .documentation = "reduce-scatter by halving vectors, all-gather by doubling them (Rabenseifner)",
     .schedule = plain<HalvingDoubling>,
     .among_masters = plain_top<HalvingDoubling>,
     .form = &halving_doubling_form,
     .group = {.serves = any_of<Operation::all_reduce, Operation::reduce_scatter>,
               .schedule = group_halving_doubling,
               .form = group_halving_doubling_form}},
    {.name = "binomial_tree",
     .title = "binomial tree",
     .documentation = "reduce to rank 0 along a binomial tree, and broadcast back along it",
     .schedule = plain<BinomialTree>,
     .among_masters = plain_top<BinomialTree>,
     .form = &binomial_tree_form,
     .group = {.serves = any_of<Operation::all_reduce, Operation::broadcast, Operation::reduce, Operation::gather,
                                Operation::scatter, Operation::barrier>,
               .schedule = group_binomial_tree,
               .form = group_binomial_tree_form}},
    {.name = "scatter_allgather",
     .title = "scatter and all-gather",
     .documentation = "blocks are scattered along a binomial tree and gathered round a ring (van de Geijn)",
     .group = {.serves = any_of<Operation::broadcast>,
               .schedule = group_scatter_allgather,
               .form = group_scatter_allgather_form}},
    {.name = "reduce_scatter_gather",
     .title = "reduce-scatter and gather",
     .documentation = "blocks are reduced round a ring and gathered along a binomial tree",
     .group = {.serves = any_of<Operation::reduce>,
               .schedule = group_reduce_scatter_gather,
               .form = group_reduce_scatter_gather_form}},
    {.name = "chain",
     .title = "pipelined chain",
     .documentation = "chunks along a chain of all ranks",
     .form = CallForm{},
     .group = {.chunks = true,
               .serves = any_of<Operation::all_reduce, Operation::broadcast, Operation::reduce>,
               .schedule = group_chain,
               .form = group_chain_form}},
    {.name = "binary_tree",
     .title = "pipelined binary tree",
     .documentation = "chunks up and down one binary tree",
     .form = CallForm{},
     .group = {.chunks = true,
               .serves = any_of<Operation::all_reduce, Operation::broadcast, Operation::reduce>,
               .schedule = group_binary_tree,
               .form = group_binary_tree_form}},
    {.name = "double_binary_tree",
     .title = "double binary tree",
     .documentation = "each half of the vector in chunks up and down a tree of its own (NCCL)",
     .form = CallForm{},
     .group = {.chunks = true,
               .serves = any_of<Operation::all_reduce, Operation::broadcast, Operation::reduce>,
               .schedule = group_double_binary_tree,
               .form = group_double_binary_tree_form}},
    {.name = "two_level",
     .title = "two levels",
     .documentation = "inside nodes, and across nodes along rails",
     .form = CallForm{},
     .group = {.groups = true,
               .serves =
                   any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::alltoall>,
               .schedule = group_two_level,
               .form = group_two_level_form}},
    {.name = "in_switch",
     .title = "reduction in the switch",
     .documentation = "the switch adds up and multicasts chunks (SHARP)",
     .form = CallForm{},
     .group = {.chunks = true,
               .needs_switch = true,
               .serves = any_of<Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                Operation::broadcast, Operation::reduce, Operation::barrier>,
               .schedule = group_in_switch,
               .form = group_in_switch_form}},
    {.name = "nvls",
     .title = "NVLS",
     .documentation = "the switch adds up; each rank is head of one block, which the switch multicasts",
     .form = CallForm{},
     .group = {.chunks = true,
               .needs_switch = true,
               .serves = any_of<Operation::all_reduce>,
               .schedule = group_nvls,
               .form = group_nvls_form}},
    {.name = "dissemination",
     .title = "dissemination",
     .documentation = "every rank signals the ranks at distances 1, 2, 4, ...",
     .group = {.serves = any_of<Operation::barrier>,
               .schedule = group_dissemination,
               .form = group_dissemination_form}},
    {.name = "hierarchical",
     .title = "hierarchical",
     .documentation = "groups reduce to masters, the masters exchange, groups broadcast",
     .keys = {.levels = true},
     .schedule = make_hierarchical,
     .helpers = [](const ExchangeSpec& x,
                   int workers) { return HierarchyLayout(workers, x.levels).participants - workers; },
     .form = GroupsForm{}},
    {.name = "topk_allgather",
     .title = "top-k all-gather",
     .documentation = "every rank gets the entries that every rank selected",
     .unit = Unit::lists,
     .keys = {.all_gather = true},
     .schedule = [](const ExchangeSpec& x, int workers) -> SchedulePtr {
       return std::make_unique<TopKAllGather>(workers, x.all_gather);
     },
     .form = &topk_allgather_form},
    {.name = "gtopk",
     .title = "gTop-k tree",
     .documentation = "selected entries are merged along a binomial tree, and the k that survive are broadcast",
     .unit = Unit::lists,
     .one_list = true,
     .schedule = plain<GTopK>,
     .form = &gtopk_form},
    {.name = "sharded",
     .title = "sharded data parallelism",
     .documentation = "gradients are reduce-scattered, each rank updates its shard, and parameters are all-gathered "
                      "(ZeRO, FSDP)",
     .keys = {.all_gather = true, .sharded = true},
     .schedule = [](const ExchangeSpec& x, int workers) { return make_sharded(x, workers, ShardedLeg::both); },
     .form = ShardedForm{}},
    {.name = "blocking_ring",
     .title = "blocking ring",
     .documentation = "the ring with blocking sends: no rank sends while it receives, so every round takes two turns",
     .schedule = plain<BlockingRing>,
     .among_masters = plain_top<BlockingRing>,
     .form = &blocking_ring_form},
    {.name = "nccl",
     .title = "NCCL's choice",
     .documentation = "an all-reduce as NCCL would do it, chosen by size (docs/nccl.md); the platform has node",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "nccl:ring",
     .title = "NCCL's rings",
     .documentation = "like `nccl`, but always with the ring algorithm",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "nccl:tree",
     .title = "NCCL's trees",
     .documentation = "like `nccl`, but always with double binary trees",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "nccl:nvls",
     .title = "NCCL's NVLS",
     .documentation = "like `nccl`, but always in the NVSwitch of one node",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "nccl:nvls_tree",
     .title = "NCCL's NVLS tree",
     .documentation = "like `nccl`, but always in the NVSwitches of the nodes and along trees between them",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "rccl",
     .title = "RCCL's choice",
     .documentation = "an all-reduce as RCCL would do it on MI300",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "rccl:ring",
     .title = "RCCL's rings",
     .documentation = "like `rccl`, but always with the ring algorithm",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "rccl:tree",
     .title = "RCCL's trees",
     .documentation = "like `rccl`, but always with trees",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "mpi",
     .title = "Open MPI's choice",
     .documentation = "an all-reduce as Open MPI 4.1 decides by ranks and size",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "mpi:4.0",
     .title = "Open MPI 4.0's choice",
     .documentation = "like `mpi`, but by the rules of Open MPI 4.0",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "mpi:4.1",
     .title = "Open MPI 4.1's choice",
     .documentation = "the same as `mpi`",
     .keys = {.library = true},
     .form = no_library_form},
    {.name = "file",
     .title = "schedule from a file",
     .documentation = "each rank takes the steps that the file lists for it",
     .keys = {.written = true},
     .form = NoForm{"a schedule from a file has none"}},
};

constexpr int operations_only = 3;
/// Where collectives() has a row: the rows with names in Algorithm are in the first section.
constexpr int section_of(const Collective& row) {
  if (row.keys.written) return 2;
  if (row.keys.library || row.schedule != nullptr) return 0;
  return std::holds_alternative<CallForm>(row.form) ? 1 : operations_only;
}

constexpr bool is_row_of(Algorithm algorithm, std::string_view name) {
  auto before = static_cast<std::size_t>(algorithm);
  for (const Collective& row : rows)
    if (section_of(row) == 0 && before-- == 0) return row.name == name;
  return false;
}
static_assert(is_row_of(Algorithm::parameter_server, "parameter_server") && is_row_of(Algorithm::ring, "ring") &&
              is_row_of(Algorithm::recursive_doubling, "recursive_doubling") &&
              is_row_of(Algorithm::halving_doubling, "halving_doubling") &&
              is_row_of(Algorithm::binomial_tree, "binomial_tree") &&
              is_row_of(Algorithm::hierarchical, "hierarchical") &&
              is_row_of(Algorithm::topk_allgather, "topk_allgather") && is_row_of(Algorithm::gtopk, "gtopk") &&
              is_row_of(Algorithm::sharded, "sharded") && is_row_of(Algorithm::blocking_ring, "blocking_ring"));

} // namespace

std::span<const Collective> shipped_collectives() {
  static const std::vector<Collective> exchanges = [] {
    std::vector<Collective> sorted;
    std::ranges::copy_if(rows, std::back_inserter(sorted),
                         [](const Collective& row) { return section_of(row) != operations_only; });
    std::ranges::stable_sort(sorted, {}, section_of);
    return sorted;
  }();
  return exchanges;
}

const std::vector<const Collective*>& group_collectives() {
  static const auto served = [] {
    std::vector<const Collective*> in_order;
    for (const Collective& row : rows)
      if (row.group.schedule != nullptr) in_order.push_back(&row);
    return in_order;
  }();
  return served;
}

const Collective* group_collective(std::string_view name) {
  for (const Collective* row : group_collectives())
    if (row->name == name || (!name.empty() && row->alias == name)) return row;
  return nullptr;
}

std::vector<const Collective*> group_collectives_for(Operation op) {
  std::vector<const Collective*> serving;
  std::ranges::copy_if(group_collectives(), std::back_inserter(serving),
                       [op](const Collective* row) { return row->group.serves(op); });
  return serving;
}

const Collective& collective(Algorithm algorithm) { return collectives()[static_cast<std::size_t>(algorithm)]; }

Algorithm written_algorithm() {
  const auto row = std::ranges::find_if(collectives(), by_file);
  return static_cast<Algorithm>(row - collectives().begin());
}

std::vector<Algorithm> algorithms() {
  std::vector<Algorithm> all;
  for (std::size_t i = 0; i < collectives().size(); ++i)
    if (!by_calls(collectives()[i])) all.push_back(static_cast<Algorithm>(i));
  return all;
}

std::string collective_names(bool (*wanted)(const Collective&), std::string_view last) {
  std::vector<std::string> names;
  for (const Collective& row : collectives())
    if (wanted(row)) names.emplace_back(row.name);
  return enumerated(names, last);
}

} // namespace gradflight
