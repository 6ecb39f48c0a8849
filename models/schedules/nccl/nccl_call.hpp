// A call of NCCL as a schedule: its rings or trees over the machine's links, and what its protocol costs at each hop.
//
// What is taken from NCCL 2.30.7: which ranks follow each other (models/nccl/search), channels, chunks and slices
// (shape), the time of a hop and of a launch (tuning_tables; measured by NCCL's authors on machines of their own), and
// the bytes that a protocol sends for a byte of data. Links, sharing and pipelining are simulated. Of RCCL, whose calls
// have the same shape, its own tables are taken.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"
#include "models/nccl/tuning.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"

#include <memory>

namespace gradflight {

struct NcclCall {
  std::unique_ptr<GroupSchedule> schedule; ///< of machine.ranks() ranks, node by node
  HopCosts hops;
  double launch = 0; ///< seconds before the first message
};

/// `choice` is of an operation with a table (nccl::has_table) and of `elements` > 0 (counted as in GroupSpec). Null
/// schedule where the algorithm is none of those that are simulated: ring, tree, NVLS inside one node, and NVLS tree.
NcclCall make_nccl_call(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                        Operation op, std::int64_t elements, double element_size, const nccl::Choice& choice);

/// NVLS inside a node, without a schedule: one of the catalogue's, by way of the switch.
NcclCall make_nvls_call(const nccl::Machine& machine);

/// An all-reduce by NVLS inside the nodes and trees between them; `choice` names it.
NcclCall make_nvls_tree_call(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                             std::int64_t elements, double element_size, const nccl::Choice& choice);

/// All-to-all and send/receive: every rank's messages side by side, the largest of `bytes`.
NcclCall make_nccl_exchange(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                            Operation op, std::int64_t elements, double element_size);

} // namespace gradflight
