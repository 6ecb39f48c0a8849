#include "models/schedules/nccl/nccl_call.hpp"

#include "models/nccl/peers.hpp"
#include "models/nccl/primitive_costs.hpp"
#include "models/nccl/rccl_tables.hpp"
#include "models/nccl/shape.hpp"
#include "models/nccl/tuning_tables.hpp"
#include "models/schedules/make_schedule.hpp"
#include "models/schedules/nccl/nccl_orders.hpp"
#include "models/schedules/nccl/nccl_ring.hpp"
#include "models/schedules/nccl/nccl_tree.hpp"
#include "models/schedules/nccl/nvls_tree.hpp"
#include "models/schedules/nccl/peer_messages.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace gradflight {

namespace {

using NcclAlgorithm = nccl::Algorithm;
using nccl::Protocol;

using nccl::network_bytes;
constexpr double micro = 1e-6, giga = 1e9;

std::size_t at(NcclAlgorithm a) { return static_cast<std::size_t>(a); }
std::size_t at(Protocol p) { return static_cast<std::size_t>(p); }

bool by_nvlink(const nccl::Graph& graph) { return graph.intra_type <= nccl::PathType::c2c; }

/// Rows of RCCL's tables: tree, ring.
std::size_t rccl_row(NcclAlgorithm a) { return a == NcclAlgorithm::tree ? 0 : 1; }

double base_seconds(nccl::Library library, NcclAlgorithm a, Protocol p) {
  return micro * (library == nccl::Library::rccl ? nccl::rccl_tables::base_latency[rccl_row(a)][at(p)]
                                                 : nccl::tables::base_latency[at(a)][at(p)]);
}

/// Returns the seconds of a hop inside a node and between nodes, from RCCL's table. Its 320 us for Simple in rings
/// between nodes only keep RCCL from choosing them; no hop takes that long, so this uses the tree's time for both.
HopCosts rccl_hop_times(const nccl::Graph& graph, NcclAlgorithm a, Protocol p) {
  const auto& table = nccl::rccl_tables::hop_latency;
  const std::size_t over = graph.intra_type == nccl::PathType::nvlink ? 0 : 1;
  const double between = std::min(table[2][0][at(p)], table[2][1][at(p)]);
  return {{table[over][rccl_row(a)][at(p)] * micro, 1}, {between * micro, 1}};
}

/// Returns the seconds of a hop inside a node and between nodes.
HopCosts hop_times(const nccl::Machine& machine, const nccl::Graph& graph, NcclAlgorithm a, Protocol p) {
  const auto& table = nccl::tables::hop_latency;
  double inside = table[by_nvlink(graph) ? 0 : 1][at(a)][at(p)];
  if (a == NcclAlgorithm::ring && machine.nodes > 1) {
    inside = std::max(inside, nccl::post_us(machine, p));
  }
  const NcclAlgorithm network = machine.gpu_count() == 1 ? NcclAlgorithm::tree : a;
  return {{inside * micro, 1}, {table[2][at(network)][at(p)] * micro, 1}};
}

/// Returns GB/s of the links from a GPU to another of its node: all of its links, or those of a pair.
double link_rate(const nccl::Machine& machine) {
  if (machine.switch_links > 0) return machine.switch_links * machine.link_rate();
  if (!machine.links.empty())
    return machine.link_rate() * std::max(1, *std::max_element(machine.links.begin(), machine.links.end()));
  return machine.gpus.front().pcie_rate;
}

/// Returns what the threads of a channel carry in GB/s. A thread of LL moves a line of 8 bytes of data, then waits for
/// the next one.
double ll_rate(int threads) { return threads * nccl::tables::ll_line * 1e-3 / nccl::tables::ll_load_us; }

/// Like ll_rate(), and at most a channel's part of NCCL's bound for all channels of a node.
double nccl_ll_rate(const nccl::Machine& machine, int threads) {
  const auto row = static_cast<std::size_t>(std::max(0, static_cast<int>(machine.generation) - 1));
  return std::min(ll_rate(threads), nccl::tables::most_ll[row][0] / nccl::tables::node_channels[row]);
}

/// One of the NICs that channels use.
struct NicShare {
  int count = 0;    ///< number of NICs that channels use
  double rate = 0;  ///< SearchedChannel::out_rate of one NIC; 0: no channel uses a NIC
  int channels = 1; ///< channels that share the NIC
};

NicShare nic_share(const nccl::Graph& graph, int channels) {
  std::map<int, double> used;
  for (const nccl::SearchedChannel& channel : graph.channels)
    if (channel.nic_out >= 0) used.emplace(channel.nic_out, channel.out_rate);
  NicShare share;
  share.count = static_cast<int>(used.size());
  if (share.count == 0) return share;
  for (const auto& [nic, rate] : used) share.rate += rate / share.count;
  share.channels = (channels - 1) / share.count + 1;
  return share;
}

/// The channels of a call carry at most `rate` GB/s of data together on a link, which carries `of_link` GB/s.
void limit(HopCost& hop, double rate, double of_link) {
  hop.channels_rate = std::min(hop.channels_rate, rate * giga);
  hop.link_rate = of_link * giga;
}

/// Returns how many of a call's channels share a link from one GPU to another: the most, since the slowest link of a
/// ring or chain decides.
int channels_on_a_link(const nccl::Machine& machine, const nccl::Graph& graph, int channels) {
  if (machine.switch_links > 0 || graph.count() == 0) return channels;
  const bool closes = graph.pattern == nccl::Pattern::ring && machine.nodes == 1;
  std::map<std::pair<int, int>, int> on; // of each link
  for (int channel = 0; channel < channels; ++channel) {
    const std::vector<int>& gpus = graph.channels[static_cast<std::size_t>(channel % graph.count())].gpus;
    for (std::size_t seat = 1; seat < gpus.size(); ++seat) ++on[{gpus[seat - 1], gpus[seat]}];
    if (closes) ++on[{gpus.back(), gpus.front()}];
  }
  int most = on.empty() ? channels : 0;
  for (const auto& [link, count] : on) most = std::max(most, count);
  return most;
}

/// Limits LL's channels to the rate of their threads, in GB/s for each.
void limit_to_threads(const nccl::Machine& machine, const nccl::Graph& graph, int channels, double of_a_channel,
                      const NicShare& nics, HopCosts& hops) {
  const int on_a_link = channels_on_a_link(machine, graph, channels);
  if (machine.gpu_count() > 1) limit(hops.inside, on_a_link * of_a_channel, link_rate(machine));
  if (machine.nodes > 1 && nics.count > 0) limit(hops.between, nics.channels * of_a_channel, network_bytes * nics.rate);
}

/// Sets the protocol's own bytes on the links per byte of data, and what its channels carry.
void set_rates(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, Protocol p,
               HopCosts& hops) {
  const double sent = nccl::wire_factor(p);
  hops.inside.wire_bytes = sent;
  hops.between.wire_bytes = sent * network_bytes;
  const double links = machine.switch_links * machine.link_rate();
  if (links > 0 && graph.intra > 0) limit(hops.inside, channels * graph.intra / sent, links);
  const NicShare nics = nic_share(graph, channels);
  if (machine.nodes > 1 && graph.inter > 0 && nics.rate > 0)
    limit(hops.between, nics.channels * graph.inter / sent, network_bytes * nics.rate);
  if (p != Protocol::ll) return;
  const int spread = machine.nodes == 1 ? 0 : machine.nodes == 2 ? 1 : 2;
  const bool amd = machine.nodes > 1 && machine.vendor == nccl::Vendor::amd;
  const int row = machine.nodes > 1 ? (amd ? 1 : 0) : std::max(0, static_cast<int>(machine.generation) - 1);
  const double most = nccl::tables::most_ll[static_cast<std::size_t>(row)][static_cast<std::size_t>(spread)];
  if (links > 0) limit(hops.inside, most, links);
  if (nics.count > 0) limit(hops.between, most / nics.count, network_bytes * nics.rate);
  limit_to_threads(machine, graph, channels, nccl_ll_rate(machine, threads), nics, hops);
}

/// Like set_rates() for RCCL. Its tables give LL a share of the links' rate, by which it
/// chooses. A message of LL has lines like NCCL's.
void set_rccl_rates(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, Protocol p,
                    HopCosts& hops) {
  hops.inside.wire_bytes = nccl::wire_factor(p);
  hops.between.wire_bytes = nccl::wire_factor(p) * network_bytes;
  if (p == Protocol::ll) limit_to_threads(machine, graph, channels, ll_rate(threads), nic_share(graph, channels), hops);
}

/// Sets the time that a slice takes from its channel's threads. Inside a node, they write it into their neighbour's
/// memory: a fixed time of Simple's primitives passes before its bytes; their own rate does not slow these
/// (set_rates). Towards a NIC, they first write all of it into a buffer, from which the NIC then fetches it.
void occupy_threads(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, Protocol p,
                    HopCosts& hops) {
  const auto row = static_cast<std::size_t>(std::max(0, static_cast<int>(machine.generation) - 1));
  ByPrimitive rates = nccl::primitive_rates(machine.generation);
  if (p == Protocol::ll) rates.fill(nccl_ll_rate(machine, threads));
  if (p == Protocol::ll128) rates.fill(nccl::tables::most_ring_ll128[row][0]);
  const ByPrimitive fixed = nccl::primitive_us(machine.generation, by_nvlink(graph));
  if (p == Protocol::simple)
    for (std::size_t i = 0; i < primitive_count; ++i) hops.inside.busy[i] = micro * fixed[i];
  for (std::size_t i = 0; i < primitive_count; ++i) hops.between.stored[i] = 1 / (rates[i] * giga);
  if (p != Protocol::ll) return;
  // If LL's threads are slower than the NIC, bytes_on() already contains their time, and the NIC's time is added.
  if (const NicShare nics = nic_share(graph, channels); nics.rate > 0)
    for (double& stored : hops.between.stored)
      stored = std::min(stored, nics.channels * nccl::wire_factor(p) * network_bytes / (nics.rate * giga));
}

/// Returns the rate at which a rank's threads copy received data in the last primitive of a ring's loop, which sends
/// nothing. Between nodes, threads of LL and LL128 copy lines as they arrive.
double copy_rate(const nccl::Machine& machine, int channels, Protocol p) {
  if (machine.nodes > 1 && p != Protocol::simple) return 0;
  return channels * nccl::channel_copy_rate(machine.generation) * giga;
}

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
  const auto nvls = at(NcclAlgorithm::nvls), simple = at(Protocol::simple);
  call.launch = (nccl::tables::base_latency[nvls][simple] + nccl::tables::hop_latency[0][nvls][simple]) * micro;
  const double share = nccl::tables::nvls_efficiency[static_cast<std::size_t>(machine.generation) - 1];
  if (share > 0) call.hops.inside.wire_bytes = call.hops.inside.links_bytes = 1 / share;
  return call;
}

/// Heads are the GPUs that reach NICs in the search. The table's hop inside covers all of NVLS in a node.
NcclCall make_nvls_tree_call(const nccl::Machine& machine, const nccl::Graphs& graphs, const nccl::Tuning& tuning,
                             std::int64_t elements, double element_size, const nccl::Choice& choice) {
  const auto row = at(NcclAlgorithm::nvls_tree), simple = at(Protocol::simple);
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
  if (choice.protocol == Protocol::ll)
    limit(call.hops.inside, choice.blocks * ll_rate(rccl::block_threads), link_rate(machine));
  const double loaded = choice.blocks * rccl::block_threads * rccl::reduced_bytes * (rccl::msccl_ranks - 1);
  if (op == Operation::all_reduce) call.hops.reduce_rate = loaded / (nccl::tables::ll_load_us * micro);
  call.launch = base_seconds(nccl::Library::rccl, NcclAlgorithm::ring, choice.protocol);
  GroupSpec spec;
  spec.op = op;
  spec.ranks = machine.ranks();
  spec.counts = BlockCounts::whole(elements);
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
    for (std::size_t i = 0; i < plan.routes.size(); ++i)
      if (i / static_cast<std::size_t>(gpus) % static_cast<std::size_t>(gpus) == 0)
        nics.emplace(plan.routes[i].sender, plan.routes[i].out);
    return {others / static_cast<int>(nics.size()), 1, 1};
  }
  return {others, std::min(1.0, static_cast<double>(machine.nics.size()) / gpus), lanes};
}

/// Limits what the channels of messages carry. Inside a node a channel sends half of what it copies; between nodes
/// NCCL's own figure applies.
void limit_messages(const nccl::Machine& machine, const nccl::PeerPlan& plan, Operation op, double message, Protocol p,
                    HopCosts& hops) {
  const int near = machine.gpu_count() - 1;
  const auto limit_to = [&](HopCost& hop, double of_a_channel, int peers, bool over_network, double of_link) {
    if (peers < 1 || !(of_link > 0)) return;
    const int channels = std::min(plan.channels, peers * nccl::peer_shape(plan, message, over_network).channels);
    limit(hop, channels * of_a_channel / nccl::wire_factor(p), of_link);
  };
  limit_to(hops.inside, nccl::channel_copy_rate(machine.generation) / 2,
           op == Operation::sendrecv ? std::min(1, near) : near, false, link_rate(machine));
  if (machine.nodes < 2 || machine.nics.empty()) return;
  const SenderNic nic = sender_nic(machine, plan, op, peer_lanes(plan, message));
  limit_to(hops.between, nccl::channel_net_rate / nic.lanes, nic.peers, true,
           network_bytes * plan.nic_rate * nic.share);
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
  if (tuning.library == nccl::Library::nccl && message > 0) limit_messages(machine, plan, op, message, p, call.hops);
  if (op != Operation::sendrecv) call.hops.between.post = nccl::post_us(machine, p) * micro;
  call.hops.between.eager = machine.eager_limit;
  call.launch = base_seconds(tuning.library, NcclAlgorithm::ring, p);
  GroupSpec spec;
  spec.op = op;
  spec.ranks = ranks;
  spec.counts = BlockCounts::whole(elements);
  call.schedule =
      with_routes(make_group_schedule(*group_collective(op == Operation::sendrecv ? "ring" : "spread"), spec), plan,
                  peer_lanes(plan, message));
  return call;
}

} // namespace gradflight
