#include "models/nccl/nic_rates.hpp"

#include <algorithm>

namespace gradflight::nccl {

namespace {

/// A GPU that sends to a channel's NIC or receives from it, with its share of the channel's data.
struct End {
  int gpu = 0;
  double share = 1;
};

/// Returns the ends at the NIC by which a channel leaves. A ring leaves by its last GPU, a balanced tree by its first
/// two with half of the data each, other patterns by their first GPU.
std::vector<End> ends_out(const Graph& graph, const SearchedChannel& channel) {
  if (graph.pattern == Pattern::ring) return {{channel.gpus.back(), 1}};
  const bool has_second = channel.gpus.size() > 1 && channel.gpus[1] >= 0;
  if (graph.pattern == Pattern::balanced_tree && has_second) return {{channel.gpus[0], 0.5}, {channel.gpus[1], 0.5}};
  return {{channel.gpus.front(), 1}};
}

/// The bytes on each link of a node, if each channel moves one byte of data.
class LinkLoads {
public:
  LinkLoads(const Topology& topology, const Graph& graph) : topology_(topology), bytes_(topology.links().size(), 0) {
    for (const SearchedChannel& channel : graph.channels)
      if (channel.nic_out >= 0) add(graph, channel);
  }
  [[nodiscard]] double bytes(int link) const { return bytes_[static_cast<std::size_t>(link)]; }

private:
  void add(const Graph& graph, const SearchedChannel& channel) {
    const std::vector<End> out = ends_out(graph, channel);
    const bool ring = graph.pattern == Pattern::ring;
    const bool tree = graph.pattern == Pattern::tree || graph.pattern == Pattern::balanced_tree;
    for (const End& end : out) add(end.gpu, topology_.nic(channel.nic_out), network_bytes * end.share);
    for (const End& end : ring ? std::vector<End>{{channel.gpus.front(), 1}} : out)
      add(topology_.nic(channel.nic_in), end.gpu, network_bytes * end.share);
    if (!ring && !tree) return;
    for (std::size_t seat = 1; seat < channel.gpus.size(); ++seat) {
      add(channel.gpus[seat - 1], channel.gpus[seat], 1);
      if (tree) add(channel.gpus[seat], channel.gpus[seat - 1], 1);
    }
  }
  void add(int from, int to, double bytes) {
    for (const int link : topology_.path(from, to).links) bytes_[static_cast<std::size_t>(link)] += bytes;
  }

  const Topology& topology_;
  std::vector<double> bytes_;
};

double port_rate(const Machine& machine, int nic) {
  const Nic& it = machine.nics[static_cast<std::size_t>(nic)];
  return it.pcie_rate > 0 ? std::min(it.rate, it.pcie_rate / network_bytes) : it.rate;
}

/// Calls `visit` with each link from a GPU to a NIC, except for the NIC's own.
template <class Visit> void visit_links(const Topology& topology, int gpu, int nic, Visit visit) {
  for (const int link : topology.path(gpu, topology.nic(nic)).links)
    if (topology.links()[static_cast<std::size_t>(link)].to != topology.nic(nic))
      visit(link, topology.links()[static_cast<std::size_t>(link)].rate);
}

} // namespace

double rate_alone(const Machine& machine, const Topology& topology, int gpu, int nic) {
  double rate = port_rate(machine, nic);
  visit_links(topology, gpu, nic, [&](int, double of_link) { rate = std::min(rate, of_link / network_bytes); });
  return rate;
}

void set_out_rates(const Machine& machine, const Topology& topology, Graph& graph) {
  const LinkLoads loads(topology, graph);
  std::vector<double> rates, channels(machine.nics.size(), 0);
  for (std::size_t nic = 0; nic < machine.nics.size(); ++nic)
    rates.push_back(port_rate(machine, static_cast<int>(nic)));
  for (const SearchedChannel& channel : graph.channels)
    if (channel.nic_out >= 0) ++channels[static_cast<std::size_t>(channel.nic_out)];
  for (const SearchedChannel& channel : graph.channels) {
    if (channel.nic_out < 0) continue;
    const auto nic = static_cast<std::size_t>(channel.nic_out);
    for (const End& end : ends_out(graph, channel)) {
      rates[nic] = std::min(rates[nic], rate_alone(machine, topology, end.gpu, channel.nic_out));
      visit_links(topology, end.gpu, channel.nic_out, [&](int link, double rate) {
        rates[nic] = std::min(rates[nic], rate * channels[nic] / loads.bytes(link));
      });
    }
  }
  for (SearchedChannel& channel : graph.channels)
    if (channel.nic_out >= 0) channel.out_rate = rates[static_cast<std::size_t>(channel.nic_out)];
}

} // namespace gradflight::nccl
