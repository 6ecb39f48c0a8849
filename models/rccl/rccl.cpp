#include "models/rccl/rccl.hpp"

#include "models/forms/collective_cost.hpp"
#include "models/nccl/rccl_tables.hpp"
#include "models/nccl/topology.hpp"
#include "models/rccl/disjoint_rings.hpp"

#include <algorithm>

namespace gradflight::nccl {

namespace {

class RcclTuner {
public:
  RcclTuner(const Machine& machine, const Graphs& graphs)
      : machine_(machine), graphs_(graphs), ranks_(machine.ranks()), nodes_(machine.nodes),
        total_(Topology(machine).total_rate()) {}

  [[nodiscard]] Cost cost(Operation op, Algorithm a, Protocol p) const {
    Cost cost;
    cost.why_not = why_not(op, a, p);
    if (!cost.why_not.empty()) return cost;
    const bool one_node = nodes_ == 1, tree = a == Algorithm::tree;
    const auto row = static_cast<std::size_t>(tree ? 0 : 1), column = static_cast<std::size_t>(p);
    const Graph& graph = tree ? graphs_.tree : graphs_.ring;
    double bus = total_ * rccl_tables::bandwidth_share[nodes_ <= 2 ? 0 : 1][row][column];
    const bool rooted = op == Operation::broadcast || op == Operation::reduce;
    if (rooted && one_node && p == Protocol::ll) bus *= rccl_tables::ll_rooted;
    const int steps = op == Operation::all_reduce ? 2 * (ranks_ - 1) : rooted ? ranks_ : ranks_ - 1;
    cost.bandwidth = bus * (tree ? 0.5 : static_cast<double>(ranks_) / steps);

    const std::size_t inside = graph.intra_type == PathType::nvlink ? 0 : 1;
    double intra = rccl_tables::hop_latency[inside][row][column];
    double inter = graph.latency_us > 0 ? graph.latency_us : rccl_tables::hop_latency[2][row][column];
    if (p == Protocol::simple) inter += graph.latency_us;
    cost.latency_us = rccl_tables::base_latency[row][column];
    if (tree) {
      cost.latency_us += 2 * ((machine_.gpu_count() - 1) * intra + floor_lg(nodes_) * inter);
    } else if (rooted) {
      const std::size_t over = one_node ? inside : 2;
      const std::size_t as = !graph.same_channels && p == Protocol::simple ? 0 : row;
      cost.latency_us += (graph.same_channels ? 1 : steps) * rccl_tables::hop_latency[over][as][column];
    } else {
      if (!one_node) intra = std::max(intra, post_us(machine_, p));
      const int between = op == Operation::all_reduce ? (one_node ? 0 : 2 * nodes_) : nodes_ - 1;
      cost.latency_us += (steps - between) * intra + between * inter;
    }
    return cost;
  }

private:
  [[nodiscard]] std::string_view why_not(Operation op, Algorithm a, Protocol p) const {
    if (!has_table(op)) return "this operation is made of sends and receives";
    if (a != Algorithm::ring && a != Algorithm::tree) return "RCCL has rings and trees only";
    if (op != Operation::all_reduce && a == Algorithm::tree) return "this operation uses rings only";
    if (p == Protocol::ll128) return "RCCL does not use LL128 on this GPU";
    if (a == Algorithm::tree && p == Protocol::simple && nodes_ == 1)
      return "RCCL does not use Simple trees inside one node of this GPU";
    return {};
  }

  const Machine& machine_;
  const Graphs& graphs_;
  int ranks_, nodes_;
  double total_;
};

} // namespace

void use_disjoint_rings(const Machine& machine, Graphs& graphs) {
  if (!is_full_mesh(machine)) return;
  const std::vector<std::vector<int>> rings = disjoint_rings(machine.gpu_count());
  if (rings.empty()) return;
  constexpr int channels_per_ring = 2;
  graphs.ring.channels.clear();
  for (int copy = 0; copy < channels_per_ring; ++copy)
    for (const std::vector<int>& ring : rings) graphs.ring.channels.emplace_back().gpus = ring;
  graphs.ring.intra = machine.links[1] * machine.link_rate() / channels_per_ring;
  graphs.ring.same_channels = false;
  graphs.channels = std::min(most_channels, 2 * graphs.ring.count());
}

Tuning tune_rccl(const Machine& machine, const Graphs& graphs) {
  Tuning tuning;
  tuning.library = Library::rccl;
  const RcclTuner tuner(machine, graphs);
  fill_tuning(tuning, machine, graphs, [&](Operation op, Algorithm a, Protocol p) { return tuner.cost(op, a, p); });
  return tuning;
}

} // namespace gradflight::nccl
