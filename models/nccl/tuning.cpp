#include "models/nccl/tuning.hpp"

#include "models/forms/collective_cost.hpp"
#include "models/nccl/release_tables.hpp"
#include "models/nccl/tuning_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradflight::nccl {

bool has_table(Operation op) {
  return op == Operation::all_reduce || op == Operation::all_gather || op == Operation::reduce_scatter ||
         op == Operation::broadcast || op == Operation::reduce;
}

namespace {

bool is_collnet(Algorithm a) { return a == Algorithm::collnet_direct || a == Algorithm::collnet_chain; }
bool is_nvls(Algorithm a) { return a == Algorithm::nvls || a == Algorithm::nvls_tree; }

const Graph& graph_of(const Graphs& graphs, Algorithm a) {
  switch (a) {
  case Algorithm::ring: return graphs.ring;
  case Algorithm::collnet_direct: return graphs.collnet_direct;
  case Algorithm::collnet_chain: return graphs.collnet_chain;
  case Algorithm::nvls:
  case Algorithm::nvls_tree: return graphs.nvls;
  case Algorithm::tree:
  case Algorithm::pat: return graphs.tree;
  }
  return graphs.ring;
}

class Tuner {
public:
  Tuner(const Machine& machine, const Graphs& graphs, int release)
      : machine_(machine), graphs_(graphs), release_(release), tables_(tables_of(release)), ranks_(machine.ranks()),
        nodes_(machine.nodes), gpus_(machine.gpu_count()), row_(std::max(0, static_cast<int>(machine.generation) - 1)),
        column_(std::min(nodes_, 3) - 1) {}

  [[nodiscard]] Cost cost(Operation op, Algorithm a, Protocol p) const {
    Cost cost;
    cost.why_not = why_not(op, a, p);
    if (!cost.why_not.empty()) return cost;
    cost.bandwidth = bandwidth(op, a, p);
    if (!(cost.bandwidth > 0)) cost.why_not = "the tables give it no bandwidth here";
    cost.latency_us = latency(op, a, p);
    return cost;
  }

private:
  [[nodiscard]] std::string_view why_not(Operation op, Algorithm a, Protocol p) const {
    if (!has_table(op)) return "this operation is made of sends and receives";
    const bool ring_only = op == Operation::broadcast || op == Operation::reduce;
    if (ring_only && a != Algorithm::ring) return "this operation uses rings only";
    if (is_nvls(a) && !tables_.nvls) return "NVLS begins with release 2.17";
    if (in_blocks(op) && (is_nvls(a) || is_collnet(a)) && !tables_.gathers_by_switch)
      return "it supports this operation from release 2.19 on";
    if (a == Algorithm::pat && !tables_.pat) return "PAT begins with release 2.23";
    if (in_blocks(op) && (a == Algorithm::tree || a == Algorithm::collnet_chain || a == Algorithm::nvls_tree))
      return "it supports all-reduce only";
    if (op == Operation::all_reduce && a == Algorithm::pat) return "it supports all-gather and reduce-scatter only";
    if (a != Algorithm::tree && a != Algorithm::ring && p != Protocol::simple) return "it has the Simple protocol only";
    if (p == Protocol::ll128)
      if (const std::string_view reason = why_no_ll128(graph_of(graphs_, a)); !reason.empty()) return reason;
    if (a == Algorithm::pat && gpus_ != 1) return "it needs one GPU a node";
    if (is_nvls(a) && graphs_.nvls.count() < 2)
      return "NVLS needs at least two GPUs of a node on an NVSwitch with multicast (Hopper on)";
    if (a == Algorithm::nvls_tree && nodes_ == 1) return "NVLS tree needs several nodes";
    if (a == Algorithm::nvls && nodes_ > 1 && graphs_.collnet_chain.count() == 0) return nvls_needs_collnet;
    if (is_nvls(a) && op != Operation::all_reduce && gpus_ > 32)
      return "NVLS supports this operation among up to 32 GPUs";
    if (is_collnet(a) && graphs_.collnet_chain.count() == 0) return needs_collnet;
    if (is_collnet(a) && gpus_ > 8) return "CollNet supports up to 8 GPUs a node";
    if (a == Algorithm::collnet_direct && machine_.switch_links == 0) return "CollNet direct needs an NVSwitch";
    if (a == Algorithm::collnet_direct && graphs_.collnet_direct.count() == 0)
      return "NCCL found no head GPU for CollNet direct";
    if (in_blocks(op) && nodes_ > 1 && (is_nvls(a) || is_collnet(a)) && gpus_ > graphs_.collnet_direct.count())
      return "it needs a NIC for each GPU";
    return {};
  }

  [[nodiscard]] std::string_view why_no_ll128(const Graph& graph) const {
    if (machine_.generation < Generation::volta) return "LL128 begins with Volta";
    const bool hopper = machine_.generation >= Generation::hopper;
    if (hopper && !tables_.ll128_hopper) return "this release has no LL128 on Hopper";
    const PathType furthest = tables_.ll128_bridge ? PathType::nvlink_bridge : PathType::nvlink;
    if (graph.intra_type > furthest && gpus_ > 1) return "LL128 needs NVLink inside the node";
    if (nodes_ == 1) return {};
    // The search is that of the newest release. Before, a NIC near by C2C counted as behind the CPU.
    const bool by_c2c = graph.inter_type == PathType::c2c_nic || graph.inter_type == PathType::pxn;
    if (hopper && by_c2c && machine_.gpus.front().c2c_rate > 0 && !tables_.ll128_c2c)
      return "LL128 over C2C begins with release 2.27";
    if (hopper && tables_.ll128_pxn)
      return graph.inter_type > PathType::pxn ? "LL128 needs NICs that GPUs reach without the CPU" : "";
    return graph.inter_type > PathType::pcie_switches ? "LL128 needs NICs below the GPUs' PCIe switches (before Hopper)"
                                                      : "";
  }

  /// Rate of a channel of NVLS or its tree.
  [[nodiscard]] double nvls_rate(Operation op, Algorithm a, const Graph& graph) const {
    const auto row = static_cast<std::size_t>(row_), column = static_cast<std::size_t>(column_);
    const bool tree = a == Algorithm::nvls_tree;
    if (!tables_.nvls_links) {
      if (nodes_ == 1) return graph.intra;
      return std::min(graph.intra, tree && nodes_ > 2 ? graph.inter / 2 : graph.inter);
    }
    const double channels = graph.count();
    double intra = graph.intra * tables::nvls_efficiency[row] * (channels - 1) / channels;
    intra *= op == Operation::all_reduce ? 2 : (gpus_ - 1.0) / gpus_;
    const double rate = std::min(intra, graph.inter * (tree && nodes_ <= 2 ? 2 : 1));
    return tree ? std::min(rate, tables::most_nvls_tree[row][column]) : rate;
  }

  /// The share of all rings' rate that LL reaches.
  [[nodiscard]] double ll_share(Operation op) const {
    if (!tables_.ll_rings_by_steps) return 0.5;
    return nodes_ > 1 || op == Operation::all_reduce || op == Operation::reduce ? 1.0 / 4 : 1.0 / 3;
  }

  /// Maximum for a channel of LL128 rings.
  [[nodiscard]] double most_ring_ll128(Operation op) const {
    const double most = tables_.most_ring_ll128[static_cast<std::size_t>(row_)][static_cast<std::size_t>(column_)];
    if (release_ >= 10) return most;
    switch (op) {
    case Operation::broadcast: return ring_ll128_of_2_8[0];
    case Operation::reduce: return ring_ll128_of_2_8[1];
    case Operation::all_gather: return ring_ll128_of_2_8[2];
    case Operation::reduce_scatter: return ring_ll128_of_2_8[3];
    case Operation::all_reduce: return ring_ll128_of_2_8[4];
    default: return most;
    }
  }

  [[nodiscard]] double bandwidth(Operation op, Algorithm a, Protocol p) const {
    const Graph& graph = graph_of(graphs_, a);
    const auto row = static_cast<std::size_t>(row_), column = static_cast<std::size_t>(column_);
    const double channels = graph.count();
    const double rate = is_nvls(a) ? nvls_rate(op, a, graph) : nodes_ <= 2 || is_collnet(a) ? graph.intra : graph.inter;
    double bus = channels * rate;
    if (tables_.most_ampere > 0 && machine_.generation == Generation::ampere) bus = std::min(bus, tables_.most_ampere);
    const auto vendor = static_cast<std::size_t>(machine_.vendor == Vendor::amd ? 1 : 0);
    const double most_ll = tables_.most_ll[nodes_ == 1 ? row : vendor][column];
    if (a == Algorithm::ring && p == Protocol::ll) bus = std::min(most_ll, bus * ll_share(op));
    if (a == Algorithm::ring && p == Protocol::ll128)
      bus = std::min(bus * (tables_.ll128_alone_less && gpus_ == 1 ? 0.7 : 0.92), channels * most_ring_ll128(op));
    if (a == Algorithm::tree) {
      bus = std::min(bus * 0.92, channels * tables_.most_tree[row][column]);
      if (p == Protocol::ll) bus = std::min(bus / 3.8, most_ll);
      if (p == Protocol::ll128) {
        const double most = release_ < 10 ? most_ring_ll128(op) : tables_.most_tree_ll128[row][column];
        const double share = nodes_ == 1 ? 7.0 / 9 : release_ < 10 ? 0.915 : 120.0 / 128;
        bus = std::min(bus * share, channels * most);
      }
      if (graph.pattern == Pattern::tree && tables_.tree_shares_nics) bus *= 0.85;
    }
    if (a == Algorithm::pat) bus *= 0.75;
    if (a == Algorithm::collnet_direct) {
      if (in_blocks(op)) {
        bus = gpus_ * std::min(graph.intra, graph.inter * 0.9);
      } else {
        const double per_nic = gpus_ / channels;
        bus /= per_nic - (per_nic - 1) / 2;
        if (machine_.generation >= Generation::hopper) bus *= 0.85;
      }
    }
    if (is_nvls(a) && !tables_.nvls_links) return in_blocks(op) ? bus : bus * 5.0 / 6;
    if (in_blocks(op) && a != Algorithm::ring) return bus;
    return bus * (a == Algorithm::ring || is_nvls(a) ? static_cast<double>(ranks_) / steps(op) : 0.5);
  }

  [[nodiscard]] int steps(Operation op) const {
    if (op == Operation::all_reduce) return 2 * (ranks_ - 1);
    return in_blocks(op) ? ranks_ - 1 : ranks_;
  }

  [[nodiscard]] double latency(Operation op, Algorithm a, Protocol p) const {
    const Graph& graph = graph_of(graphs_, a);
    const auto row = static_cast<std::size_t>(a), column = static_cast<std::size_t>(p);
    constexpr std::size_t nvlink = 0, pcie = 1, network = 2;
    const std::size_t inside = graph.intra_type == PathType::nvlink ? nvlink : pcie;
    const auto& hops = tables_.hop_latency;
    double intra = hops[inside][row][column];
    if (nodes_ > 1 && p == Protocol::ll) intra *= tables_.ll_inside;
    // With one GPU per node nothing hides the network.
    const bool as_tree = gpus_ == 1 && tables_.alone_as_tree;
    double inter = hops[network][as_tree ? static_cast<std::size_t>(Algorithm::tree) : row][column];
    if (tables_.adds_nic_latency)
      inter += graph.latency_us * (p == Protocol::simple ? 2 : 1); // Simple flushes the data that a NIC wrote
    else if (graph.latency_us > 0)
      inter = graph.latency_us;
    const int trees = floor_lg(nodes_);
    double latency = tables_.base_latency[row][column];
    switch (a) {
    case Algorithm::ring: {
      const std::size_t over = nodes_ == 1 ? inside : network;
      if (!in_blocks(op) && op != Operation::all_reduce) {
        if (graph.same_channels) return latency + hops[over][row][column];
        const std::size_t as = p == Protocol::simple ? static_cast<std::size_t>(Algorithm::tree) : row;
        return latency + steps(op) * hops[over][as][column];
      }
      if (nodes_ > 1 && tables_.posts) // a message must be posted to the NIC before any rank continues
        intra = std::max(intra, post_us(machine_, p));
      const bool twice = op == Operation::all_reduce;
      const int between = nodes_ == 1 ? 0 : (twice ? 2 : 1) * (nodes_ - 1) + (twice ? tables_.more_between : 0);
      return latency + (steps(op) - between) * intra + between * inter;
    }
    case Algorithm::tree: return latency + 2 * ((gpus_ - 1) * intra + trees * inter);
    case Algorithm::collnet_direct: return latency + 2 * (std::min(1, gpus_ - 1) * intra + (gpus_ - 1) * 0.4) + inter;
    case Algorithm::collnet_chain: return latency + 2 * (gpus_ - 1) * intra + inter;
    case Algorithm::nvls: return intra + (nodes_ > 1 ? inter : 0);
    case Algorithm::nvls_tree: return latency + intra + 2 * trees * inter;
    case Algorithm::pat: return latency + trees * (inter / 3.5) + ranks_ * 2.8;
    }
    return latency;
  }

  const Machine& machine_;
  const Graphs& graphs_;
  int release_;
  ReleaseTables tables_;
  int ranks_, nodes_, gpus_, row_, column_;
};

/// Smaller from four nodes on, to fill the tree sooner; on Blackwell it depends on the NICs' rate.
double nvls_tree_chunk(const Machine& machine, const Graph& nvls) {
  const double otherwise = machine.nodes >= 4 ? 64 * kib : 128 * kib;
  if (machine.generation < Generation::blackwell || machine.nodes == 1 || machine.nics.empty()) return otherwise;
  double nic = machine.nics.front().rate;
  for (const Nic& each : machine.nics) nic = std::min(nic, each.rate);
  const int gpus = machine.gpu_count();
  const bool near = nvls.inter_type <= PathType::pcie_switches;
  if (machine.nodes == 2 && nic >= 48) {
    if (gpus <= 4) return 256 * kib;
    return gpus >= 16 || (gpus <= 8 && near && nic < 96) ? 64 * kib : 128 * kib;
  }
  if (nic >= 96) return gpus <= 8 ? 256 * kib : gpus < 32 ? 128 * kib : 64 * kib;
  if (nic >= 48) return near ? 64 * kib : 128 * kib;
  return otherwise;
}

} // namespace

void fill_tuning(Tuning& tuning, const Machine& machine, const Graphs& graphs,
                 const std::function<Cost(Operation, Algorithm, Protocol)>& cost) {
  tuning.generation = machine.generation;
  tuning.ranks = machine.ranks();
  tuning.nodes = machine.nodes;
  tuning.channels = graphs.channels;
  for (std::size_t op = 0; op < tuning.costs.size(); ++op)
    for (std::size_t a = 0; a < tuning.costs[op].size(); ++a)
      for (std::size_t p = 0; p < tuning.costs[op][a].size(); ++p)
        tuning.costs[op][a][p] = cost(static_cast<Operation>(op), static_cast<Algorithm>(a), static_cast<Protocol>(p));
}

Tuning tune(const Machine& machine, const Graphs& graphs, int release) {
  Tuning tuning;
  tuning.release = release;
  const ReleaseTables tables = tables_of(release);
  tuning.tree_share = tables.tree_share;
  tuning.plateau = tables.plateau;
  tuning.channel_rules = tables.channel_rules;
  tuning.nvls_channels = graphs.nvls_channels;
  tuning.heads = graphs.collnet_direct.count();
  tuning.nvls_heads = std::max(1, graphs.nvls.count());
  tuning.nvls_tree_chunk = nvls_tree_chunk(machine, graphs.nvls);
  tuning.x86 = machine.vendor == Vendor::intel || machine.vendor == Vendor::amd;
  if (graphs.ring.intra * graphs.ring.count() <= pcie_rate(3)) tuning.ring_simple_threads = 256;
  const Tuner tuner(machine, graphs, release);
  fill_tuning(tuning, machine, graphs, [&](Operation op, Algorithm a, Protocol p) { return tuner.cost(op, a, p); });
  return tuning;
}

} // namespace gradflight::nccl
