#include "models/schedules/nccl/nccl_call.hpp"

#include "models/nccl/peers.hpp"
#include "models/nccl/rccl_tables.hpp"
#include "models/nccl/shape.hpp"
#include "models/nccl/tuning_tables.hpp"
#include "models/schedules/make_schedule.hpp"
#include "models/schedules/nccl/call_costs.hpp"
#include "models/schedules/nccl/nccl_orders.hpp"
#include "models/schedules/nccl/nccl_ring.hpp"
#include "models/schedules/nccl/nccl_tree.hpp"
#include "models/schedules/nccl/nvls_tree.hpp"
#include "models/schedules/nccl/peer_messages.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gradflight {

namespace {

using NcclAlgorithm = nccl::Algorithm;
using nccl::Protocol;

using nccl::network_bytes;
constexpr double micro = 1e-6;

/// Totals of the channels with one order.
struct Share {
  double bytes = 0, chunk = 0;
  int channels = 0;
};

/// Makes one lane per group of channels, with whole numbers of elements that add up to all.
template <class Lane, class Key>
std::vector<Lane> lanes_of(const std::map<Key, Share>& shares, std::int64_t elements, double element_size, double all,
                           Lane (*lane)(const Key&)) {
  std::vector<Lane> lanes;
  double before = 0;
  std::int64_t given = 0;
  for (const auto& [key, share] : shares) {
    before += share.bytes;
    Lane& next = lanes.emplace_back(lane(key));
    const auto upto =
        std::min(elements, static_cast<std::int64_t>(std::llround(before / all * static_cast<double>(elements))));
    next.offset = given;
    next.elements = upto - given;
    next.chunk = std::max<std::int64_t>(1, std::llround(share.chunk / element_size));
    next.channels = share.channels;
    given = upto;
  }
  lanes.back().elements += elements - given;
  return lanes;
}

/// The order of ranks, the relays to the network, and the NICs.
struct Ways {
  std::vector<int> order, by;
  std::vector<std::int16_t> nics;
  friend auto operator<=>(const Ways&, const Ways&) = default;
};
RingLane ring_lane(const Ways& ways) { return {ways.order, ways.by, 0, 1, 0, 1, ways.nics}; }
TreeLane tree_lane(const Ways& ways) { return {ways.order, ways.by, 0, 1, 0, 1, ways.nics}; }

Ways ways_of(const nccl::Machine& machine, const nccl::Graphs& graphs, Operation op, bool tree, int channel) {
  if (tree)
    return {tree_parents(machine, graphs.tree, channel, graphs.channels / 2),
            {},
            channel_nics(machine, graphs.tree, channel)};
  Ways ways{ring_order(machine, graphs.ring, channel), ring_relays(machine, graphs.ring, channel),
            channel_nics(machine, graphs.ring, channel)};
  if (has_root(op)) ways.order = chain_parents(ways.order, op == Operation::reduce);
  return ways;
}

} // namespace

NcclCall make_nccl_call(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                        Operation op, std::int64_t elements, double element_size, const nccl::Choice& choice) {
  NcclCall call;
  const int ranks = machine.ranks();
  const bool blocks = counts_blocks(op);
  const double bytes = static_cast<double>(elements) * element_size;
  const nccl::Shape shape = nccl::shape_of(tuning, op, bytes, choice);
  const bool tree = choice.algorithm == NcclAlgorithm::tree;
  const nccl::Graph& graph = tree ? graphs.tree : graphs.ring;
  if (tuning.library == nccl::Library::rccl) {
    call.hops = rccl_hop_times(graph, choice.algorithm, choice.protocol);
    set_rccl_rates(machine, graph, static_cast<int>(shape.channels.size()), choice.threads, choice.protocol, call.hops);
  } else {
    call.hops = hop_times(machine, graph, choice.algorithm, choice.protocol);
    set_rates(machine, graph, static_cast<int>(shape.channels.size()), choice.threads, choice.protocol, call.hops);
    occupy_threads(machine, graph, static_cast<int>(shape.channels.size()), choice.threads, choice.protocol, call.hops);
    if (!tree && !has_root(op))
      call.hops.copy_rate = copy_rate(machine, static_cast<int>(shape.channels.size()), choice.protocol);
  }
  call.hops.between.links_bytes = network_bytes;
  call.hops.inside.ahead = call.hops.between.ahead = shape.chunks_in_buffer * shape.slices_per_chunk;
  // Leaves of a tree and ends of a chain wait for no other rank. In a ring all do, and its hop times contain what waits
  // on short ways.
  call.hops.inside.ahead_on_short_ways = call.hops.between.ahead_on_short_ways = tree || has_root(op);
  call.hops.between.eager = machine.eager_limit / nccl::wire_factor(choice.protocol);
  call.launch = base_seconds(tuning.library, choice.algorithm, choice.protocol);
  std::map<Ways, Share> shares;
  double all = 0;
  for (std::size_t c = 0; c < shape.channels.size(); ++c) {
    Share& share = shares[ways_of(machine, graphs, op, tree, static_cast<int>(c))];
    share.bytes += shape.channels[c].bytes;
    share.chunk += shape.channels[c].chunk;
    ++share.channels;
    all += shape.channels[c].bytes;
  }
  const std::int64_t count = blocks ? elements / ranks : elements;
  if (choice.algorithm != NcclAlgorithm::ring && !tree) return call;
  if (tree || has_root(op))
    call.schedule =
        std::make_unique<NcclTree>(op, ranks, lanes_of<TreeLane>(shares, count, element_size, all, tree_lane));
  else
    call.schedule = std::make_unique<NcclRing>(
        op, ranks, lanes_of<RingLane>(shares, count, element_size, all, ring_lane), shape.slices_per_chunk);
  return call;
}

/// The table's hop covers the whole operation; the switch reaches a share of the links' rate.
NcclCall make_nvls_call(const nccl::Machine& machine) {
  NcclCall call;
  const auto nvls = static_cast<std::size_t>(NcclAlgorithm::nvls), simple = static_cast<std::size_t>(Protocol::simple);
  call.launch = (nccl::tables::base_latency[nvls][simple] + nccl::tables::hop_latency[0][nvls][simple]) * micro;
  const double share = nccl::tables::nvls_efficiency[static_cast<std::size_t>(machine.generation) - 1];
  if (share > 0) call.hops.inside.wire_bytes = call.hops.inside.links_bytes = 1 / share;
  return call;
}

/// Heads are the GPUs that reach NICs in the search. The table's hop inside covers all of NVLS in a node.
NcclCall make_nvls_tree_call(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                             std::int64_t elements, double element_size, const nccl::Choice& choice) {
  const auto row = static_cast<std::size_t>(NcclAlgorithm::nvls_tree);
  const auto simple = static_cast<std::size_t>(Protocol::simple);
  NcclCall call = make_nvls_call(machine);
  call.launch = (nccl::tables::base_latency[row][simple] + nccl::tables::hop_latency[0][row][simple]) * micro;
  const nccl::Shape shape =
      nccl::shape_of(tuning, Operation::all_reduce, static_cast<double>(elements) * element_size, choice);
  call.hops.between.seconds = nccl::tables::hop_latency[2][row][simple] * micro;
  call.hops.between.wire_bytes = call.hops.between.links_bytes = network_bytes;
  call.hops.inside.ahead = call.hops.between.ahead = shape.chunks_in_buffer * shape.slices_per_chunk;
  call.hops.inside.ahead_on_short_ways = call.hops.between.ahead_on_short_ways = true; // as in other trees
  call.hops.between.eager = machine.eager_limit;
  NvlsTreeSpec spec;
  spec.nodes = machine.nodes;
  spec.gpus = machine.gpu_count();
  spec.nics.assign(static_cast<std::size_t>(spec.gpus), any_nic);
  for (const nccl::SearchedChannel& channel : graphs.nvls.channels) {
    const int head = channel.gpus.front();
    if (std::ranges::count(spec.heads, head) == 0) spec.heads.push_back(head);
    spec.nics[static_cast<std::size_t>(head)] = static_cast<std::int16_t>(channel.nic_in);
  }
  spec.elements = elements;
  double chunk = 0; // of the channels of one tree, half of all channels
  for (std::size_t c = 0; c < shape.channels.size(); c += 2) chunk += shape.channels[c].chunk;
  spec.chunk = std::max<std::int64_t>(1, std::llround(chunk / element_size));
  call.schedule = std::make_unique<NvlsTree>(std::move(spec));
  return call;
}

/// A thread that reduces loads from all peers' blocks at once, then waits for these loads.
NcclCall make_msccl_call(const nccl::Machine& machine, const nccl::Graphs& graphs, Operation op, std::int64_t elements,
                         const nccl::MscclChoice& choice) {
  namespace rccl = nccl::rccl_tables;
  NcclCall call;
  call.hops = rccl_hop_times(graphs.ring, NcclAlgorithm::ring, choice.protocol);
  call.hops.inside.wire_bytes = nccl::wire_factor(choice.protocol);
  if (choice.protocol == Protocol::ll) limit_to_threads(call.hops.inside, choice.blocks * ll_rate(rccl::block_threads));
  const double loaded = choice.blocks * rccl::block_threads * rccl::reduced_bytes * (rccl::msccl_ranks - 1);
  if (op == Operation::all_reduce) call.hops.reduce_rate = loaded / (nccl::tables::ll_load_us * micro);
  call.launch = base_seconds(nccl::Library::rccl, NcclAlgorithm::ring, choice.protocol);
  GroupSpec spec;
  spec.op = op;
  spec.ranks = machine.ranks();
  spec.elements = elements;
  call.schedule = make_group_schedule(*group_collective("spread"), spec);
  return call;
}

namespace {

/// The NIC by which messages of a rank leave its node.
struct SenderNic {
  int peers = 1;    ///< on other nodes, to which the rank sends by this NIC
  double share = 1; ///< of the NIC's rate, which other ranks use as well
  int lanes = 1;    ///< of which it has one: NICs over which each message is divided
};

SenderNic sender_nic(const nccl::Machine& machine, const nccl::PeerPlan& plan, Operation op, int lanes) {
  if (op == Operation::sendrecv) return {1, 1, lanes};
  const int gpus = machine.gpu_count(), others = gpus * (machine.nodes - 1);
  if (op == Operation::scatter) {       // only the root sends, by the NICs of all GPUs that send for it
    std::set<std::pair<int, int>> nics; // of the root's messages
    for (int turn = 0; turn < plan.turns; ++turn)
      for (int peer = 0; peer < gpus; ++peer)
        nics.emplace(plan.route(turn, 0, peer).sender, plan.route(turn, 0, peer).out);
    return {others / static_cast<int>(nics.size()), 1, 1};
  }
  return {others, std::min(1.0, static_cast<double>(machine.nics.size()) / gpus), lanes};
}

/// Returns by how much a NIC's rate is above the part of it that a GPU's link to the host leaves to each of the lanes
/// that leave by this link. The channels of a lane need no more than this part.
double beyond_gpu_link(const nccl::Machine& machine, const nccl::PeerPlan& plan, int lanes) {
  const nccl::Gpu& gpu = machine.gpus.front();
  const double link = std::max(gpu.pcie_rate, gpu.c2c_rate), cable = machine.nics.front().rate;
  int own = 0; // the others leave by the links of other GPUs
  for (int lane = 0; lane < lanes; ++lane) own += plan.route(lane, 0, 0).sender == 0 ? 1 : 0;
  return own > 1 ? std::min(cable, link) / std::min(cable, link / own) : 1;
}

/// Limits what the channels of messages carry. Inside a node a channel sends half of what it copies; between nodes
/// NCCL's own figure applies.
void limit_messages(const nccl::Machine& machine, const nccl::PeerPlan& plan, Operation op, double message, Protocol p,
                    HopCosts& hops) {
  const int near = machine.gpu_count() - 1;
  const auto limit_to = [&](HopCost& hop, double of_a_channel, int peers, bool over_network) {
    if (peers < 1) return;
    const int channels = std::min(plan.channels, peers * nccl::peer_shape(plan, message, over_network).channels);
    limit_to_threads(hop, channels * of_a_channel / nccl::wire_factor(p));
  };
  limit_to(hops.inside, nccl::channel_copy_rate(machine.generation) / 2,
           op == Operation::sendrecv ? std::min(1, near) : near, false);
  if (machine.nodes < 2 || machine.nics.empty()) return;
  const SenderNic nic = sender_nic(machine, plan, op, peer_lanes(plan, message));
  const double shared = beyond_gpu_link(machine, plan, nic.lanes);
  limit_to(hops.between, nccl::channel_net_rate / nic.lanes / nic.share * shared, nic.peers, true); // of all its ranks
}

} // namespace

NcclCall make_nccl_exchange(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                            Operation op, std::int64_t elements, double element_size) {
  NcclCall call;
  const int ranks = machine.ranks();
  const double message = static_cast<double>(elements) * element_size / (counts_blocks(op) ? ranks : 1);
  const Protocol p = message <= 16 * 1024 && machine.nodes == 1 ? Protocol::ll : Protocol::simple;
  call.hops = tuning.library == nccl::Library::rccl ? rccl_hop_times(graphs.ring, NcclAlgorithm::ring, p)
                                                    : hop_times(machine, graphs.ring, NcclAlgorithm::ring, p);
  call.hops.inside.wire_bytes = nccl::wire_factor(p);
  call.hops.between.wire_bytes = nccl::wire_factor(p) * network_bytes;
  call.hops.between.links_bytes = network_bytes;
  const nccl::PeerPlan plan = nccl::plan_peers(machine, graphs);
  if (tuning.library == nccl::Library::nccl && message > 0) {
    limit_messages(machine, plan, op, message, p, call.hops);
    call.message_channels = nccl::peer_shape(plan, message, machine.nodes > 1).channels;
  }
  if (op != Operation::sendrecv) call.hops.between.post = nccl::post_us(machine, p) * micro;
  call.hops.between.eager = machine.eager_limit;
  call.launch = base_seconds(tuning.library, NcclAlgorithm::ring, p);
  GroupSpec spec;
  spec.op = op;
  spec.ranks = ranks;
  spec.elements = elements;
  call.schedule =
      with_routes(make_group_schedule(*group_collective(op == Operation::sendrecv ? "ring" : "spread"), spec), plan,
                  peer_lanes(plan, message));
  return call;
}

} // namespace gradflight
