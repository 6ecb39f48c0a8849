// A call of NCCL as a schedule: its rings or trees over the machine's links, and its protocol's costs at each hop.
//
// The model takes these from NCCL 2.30.7: the rank order (models/nccl/search), channels, chunks and slices (shape), the
// time of a hop and of a launch (tuning_tables; NCCL's authors measured them on their machines), and the bytes that a
// protocol sends per byte of data. It simulates links, sharing and pipelining. RCCL's calls have the same shape; they
// use RCCL's tables.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"
#include "models/nccl/tuning.hpp"
#include "models/rccl/msccl.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"

#include <memory>

namespace gradflight {

struct NcclCall {
  std::unique_ptr<GroupSchedule> schedule; ///< for machine.ranks() ranks, node by node
  HopCosts hops;
  double launch = 0;        ///< seconds before the first message
  int message_channels = 0; ///< of each send and receive (make_nccl_exchange); 0: the library does not say
};

/// `choice` is for an operation with a table (nccl::has_table) and `elements` > 0 (counted as in GroupSpec). The
/// schedule is null unless the algorithm is ring, tree, NVLS inside one node, or NVLS tree.
NcclCall make_nccl_call(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                        Operation op, std::int64_t elements, double element_size, const nccl::Choice& choice);

/// NVLS inside a node, without a schedule: the catalogue has one that uses the switch.
NcclCall make_nvls_call(const nccl::Machine& machine);

/// An all-reduce with NVLS inside the nodes and trees between them; `choice` names it.
NcclCall make_nvls_tree_call(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                             std::int64_t elements, double element_size, const nccl::Choice& choice);

/// A call by a schedule of MSCCL, inside a node.
NcclCall make_msccl_call(const nccl::Machine& machine, const nccl::Graphs& graphs, Operation op, std::int64_t elements,
                         const nccl::MscclChoice& choice);

/// All-to-all, gather, scatter and send/receive: all messages of every rank side by side.
NcclCall make_nccl_exchange(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                            Operation op, std::int64_t elements, double element_size);

} // namespace gradflight
