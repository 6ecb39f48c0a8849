#include "models/schedules/nccl/call_costs.hpp"

#include "models/nccl/peers.hpp"
#include "models/nccl/primitive_costs.hpp"
#include "models/nccl/rccl_tables.hpp"
#include "models/nccl/shape.hpp"
#include "models/nccl/tuning_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace gradflight {

namespace {

using NcclAlgorithm = nccl::Algorithm;
using nccl::Protocol;

using nccl::network_bytes;
constexpr double us = 1e-6, gb = 1e9;

std::size_t at(NcclAlgorithm a) { return static_cast<std::size_t>(a); }
std::size_t at(Protocol p) { return static_cast<std::size_t>(p); }

bool by_nvlink(const nccl::Graph& graph) { return graph.intra_type <= nccl::PathType::c2c; }

/// Rows of RCCL's tables: tree, ring.
std::size_t rccl_row(NcclAlgorithm a) { return a == NcclAlgorithm::tree ? 0 : 1; }

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
void limit_ll(const nccl::Machine& machine, const nccl::Graph& graph, int channels, double of_a_channel,
              const NicShare& nics, HopCosts& hops) {
  if (machine.gpu_count() > 1)
    limit_to_threads(hops.inside, channels_on_a_link(machine, graph, channels) * of_a_channel);
  if (machine.nodes > 1 && nics.count > 0) limit_to_threads(hops.between, nics.channels * of_a_channel);
}

/// The channels carry at most `rate` GB/s of data together on a link, which carries `of_link` GB/s, as the search
/// counts both. It would give them more of a faster link.
void limit_to_searched(HopCost& hop, double rate, double of_link) {
  hop.channels_rate = rate * gb;
  hop.link_rate = of_link * gb;
}

} // namespace

double base_seconds(nccl::Library library, NcclAlgorithm a, Protocol p) {
  return us * (library == nccl::Library::rccl ? nccl::rccl_tables::base_latency[rccl_row(a)][at(p)]
                                              : nccl::tables::base_latency[at(a)][at(p)]);
}

HopCosts rccl_hop_times(const nccl::Graph& graph, NcclAlgorithm a, Protocol p) {
  const auto& table = nccl::rccl_tables::hop_latency;
  const std::size_t over = graph.intra_type == nccl::PathType::nvlink ? 0 : 1;
  const double between = std::min(table[2][0][at(p)], table[2][1][at(p)]);
  return {{table[over][rccl_row(a)][at(p)] * us, 1}, {between * us, 1}};
}

HopCosts hop_times(const nccl::Machine& machine, const nccl::Graph& graph, NcclAlgorithm a, Protocol p) {
  const auto& table = nccl::tables::hop_latency;
  double inside = table[by_nvlink(graph) ? 0 : 1][at(a)][at(p)];
  if (a == NcclAlgorithm::ring && machine.nodes > 1) {
    inside = std::max(inside, nccl::post_us(machine, p));
  }
  const NcclAlgorithm network = machine.gpu_count() == 1 ? NcclAlgorithm::tree : a;
  return {{inside * us, 1}, {table[2][at(network)][at(p)] * us, 1}};
}

double ll_rate(int threads) { return threads * nccl::tables::ll_line * 1e-3 / nccl::tables::ll_load_us; }

void limit_to_threads(HopCost& hop, double rate) { hop.threads_rate = std::min(hop.threads_rate, rate * gb); }

void set_rates(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, Protocol p,
               HopCosts& hops) {
  const double sent = nccl::wire_factor(p);
  hops.inside.wire_bytes = sent;
  hops.between.wire_bytes = sent * network_bytes;
  const double links = machine.switch_links * machine.link_rate();
  if (links > 0 && graph.intra > 0) limit_to_searched(hops.inside, channels * graph.intra / sent, links);
  const NicShare nics = nic_share(graph, channels);
  if (machine.nodes > 1 && graph.inter > 0 && nics.rate > 0)
    limit_to_searched(hops.between, nics.channels * graph.inter / sent, network_bytes * nics.rate);
  if (p != Protocol::ll) return;
  const int spread = machine.nodes == 1 ? 0 : machine.nodes == 2 ? 1 : 2;
  const bool amd = machine.nodes > 1 && machine.vendor == nccl::Vendor::amd;
  const int row = machine.nodes > 1 ? (amd ? 1 : 0) : std::max(0, static_cast<int>(machine.generation) - 1);
  const double most = nccl::tables::most_ll[static_cast<std::size_t>(row)][static_cast<std::size_t>(spread)];
  if (links > 0) limit_to_threads(hops.inside, most);
  if (nics.count > 0) limit_to_threads(hops.between, most / nics.count);
  limit_ll(machine, graph, channels, nccl_ll_rate(machine, threads), nics, hops);
}

void set_rccl_rates(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, Protocol p,
                    HopCosts& hops) {
  hops.inside.wire_bytes = nccl::wire_factor(p);
  hops.between.wire_bytes = nccl::wire_factor(p) * network_bytes;
  if (p == Protocol::ll) limit_ll(machine, graph, channels, ll_rate(threads), nic_share(graph, channels), hops);
}

void occupy_threads(const nccl::Machine& machine, const nccl::Graph& graph, int channels, int threads, Protocol p,
                    HopCosts& hops) {
  const auto row = static_cast<std::size_t>(std::max(0, static_cast<int>(machine.generation) - 1));
  ByPrimitive rates = nccl::primitive_rates(machine.generation);
  if (p == Protocol::ll) rates.fill(nccl_ll_rate(machine, threads));
  if (p == Protocol::ll128) rates.fill(nccl::tables::most_ring_ll128[row][0]);
  const ByPrimitive fixed = nccl::primitive_us(machine.generation, by_nvlink(graph));
  if (p == Protocol::simple)
    for (std::size_t i = 0; i < primitive_count; ++i) hops.inside.busy[i] = us * fixed[i];
  for (std::size_t i = 0; i < primitive_count; ++i) hops.between.stored[i] = 1 / (rates[i] * gb);
  if (p != Protocol::ll) return;
  // If LL's threads are slower than the NIC, bytes_on() already contains their time, and the NIC's time is added.
  if (const NicShare nics = nic_share(graph, channels); nics.rate > 0)
    for (double& stored : hops.between.stored)
      stored = std::min(stored, nics.channels * nccl::wire_factor(p) * network_bytes / (nics.rate * gb));
}

double copy_rate(const nccl::Machine& machine, int channels, Protocol p) {
  if (machine.nodes > 1 && p != Protocol::simple) return 0;
  return channels * nccl::channel_copy_rate(machine.generation) * gb;
}

} // namespace gradflight
