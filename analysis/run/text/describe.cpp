#include "analysis/run/text/describe.hpp"

#include "analysis/run/text/machine_text.hpp"
#include "base/human.hpp"
#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/types/training.hpp"
#include "workloads/code/workload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gradflight {
namespace {

std::string titled(const std::string& name, const std::string& text) {
  return name.empty() ? text : name + ": " + text;
}

/// Returns "10 Gbps and 5 us a link".
std::string cable_text(const LinkSpec& cable, const char* what) {
  return fmt::format("{} and {} {}", human_rate(cable.bandwidth.value()),
                     human_seconds(cable.latency.value_or(Seconds()).value()), what);
}

/// Returns " with adaptive routing"; nothing if the topology's rule decides.
std::string routing_text(const RoutingSpec& routing) {
  switch (routing.kind) {
  case RoutingSpec::Kind::by_topology: return "";
  case RoutingSpec::Kind::ecmp: return fmt::format(" with routing by hash (seed {})", routing.seed);
  case RoutingSpec::Kind::adaptive: return " with adaptive routing";
  }
  return "";
}

std::string network_text(const NetworkSpec& network) {
  const std::string link = cable_text(network.link, "a link");
  /// Text after the standard link, if a separate cable is described.
  const auto other = [&](const std::optional<LinkSpec>& own, const char* what) {
    return own ? ", " + cable_text(cable_instead_of(network.link, own), what) : "";
  };
  switch (network.topology) {
  case Topology::star: return "star, " + link;
  case Topology::racks: {
    const RacksSpec& racks = network.racks;
    const std::string uplink = racks.uplink_latency
                                   ? fmt::format(", {} an uplink", human_seconds(racks.uplink_latency->value()))
                                   : other(racks.uplink, "an uplink");
    return fmt::format("racks of {}{}, {}{}", racks.nodes_per_rack,
                       racks.uplink ? "" : fmt::format(" oversubscribed {:.6g}:1", racks.oversubscription), link,
                       uplink);
  }
  case Topology::fat_tree: {
    std::string text = fmt::format("fat tree of {}{}, {}", counted(std::ssize(network.fat_tree), "level"),
                                   routing_text(network.routing), link);
    for (std::size_t l = 0; l < network.fat_tree.size(); ++l)
      text += other(network.fat_tree[l].link, fmt::format("below level {}", l + 1).c_str());
    return text;
  }
  case Topology::torus: return fmt::format("torus {}, {}", fmt::join(network.torus, " x "), link);
  case Topology::dragonfly:
    return fmt::format("dragonfly of {} groups x {} routers x {} nodes{}, {}{}{}", network.dragonfly.groups,
                       network.dragonfly.routers, network.dragonfly.nodes, routing_text(network.routing), link,
                       other(network.dragonfly.local, "within groups"),
                       other(network.dragonfly.global, "between groups"));
  case Topology::graph:
    return fmt::format("graph of {} and {}",
                       network.switches.size() == 1 ? "1 switch" : fmt::format("{} switches", network.switches.size()),
                       counted(std::ssize(network.edges), "cable"));
  }
  return "";
}

std::string intra_node_text(const IntraNodeSpec& intra) {
  switch (intra.kind) {
  case IntraKind::none: return "";
  case IntraKind::pcie: return ", PCIe " + human_byte_rate(intra.link.bandwidth.value());
  case IntraKind::nvlink: return ", NVLink " + human_byte_rate(intra.link.bandwidth.value());
  }
  return "";
}

std::string server_text(const ExchangeSpec& exchange) {
  std::string text =
      fmt::format(" ({}{}, {} pull", counted(exchange.servers, "server"), exchange.colocated ? " colocated" : "",
                  exchange.pull == Pull::flat ? "flat" : "binomial");
  if (exchange.pull_at == PullAt::first_use) text += " at first use";
  if (exchange.consistency == Consistency::asynchronous) text += ", asynchronous";
  if (exchange.consistency == Consistency::bounded_staleness)
    text += fmt::format(", staleness at most {}", exchange.staleness_bound);
  if (exchange.backup_workers > 0) text += ", " + counted(exchange.backup_workers, "backup worker");
  return text + ")";
}

std::string sharded_text(const ExchangeSpec& exchange) {
  const ShardedSpec& sharded = exchange.sharded;
  std::string text = fmt::format(" (ZeRO-{}, ", sharded.stage);
  text += sharded.library ? fmt::format("by {}", collective(*sharded.library).title)
                          : fmt::format("{} reduce-scatter, {} all-gather",
                                        sharded.reduce_scatter == ReduceScatter::ring ? "ring" : "halving",
                                        exchange.all_gather == AllGather::ring ? "ring" : "doubling");
  if (sharded.stage == 3) text += fmt::format(", {} ahead", sharded.prefetch);
  if (sharded.stage == 3 && !sharded.reshard_after_forward) text += ", kept after the forward pass";
  if (sharded.stage < 3 && exchange.pull_at == PullAt::first_use) text += " at first use";
  if (sharded.stage > 1 && sharded.no_sync) text += ", scattered once a step";
  if (sharded.group_size > 0)
    text += fmt::format(", groups of {}, {} across", sharded.group_size, collective(exchange.top).title);
  return text + ")";
}

std::string exchange_text(const ExchangeSpec& exchange) {
  const Collective& row = collective(exchange.algorithm);
  std::string text(row.title);
  if (row.keys.servers) text += server_text(exchange);
  if (row.keys.levels) {
    std::vector<int> sizes;
    for (const HierarchyLevel& level : exchange.levels) sizes.push_back(level.group_size);
    text += fmt::format(" (groups of {}, then {})", fmt::join(sizes, ", then "), collective(exchange.top).title);
  }
  if (row.keys.sharded) text += sharded_text(exchange);
  if (!row.keys.sharded && row.keys.all_gather && exchange.all_gather == AllGather::ring) text += " round a ring";
  if (row.unit == Unit::lists) text += fmt::format(" (density {:.6g})", exchange.density);
  if (row.keys.pieces && exchange.pieces > 1) text += fmt::format(" (blocks in {} pieces)", exchange.pieces);
  return text;
}

std::string granularity_text(const Granularity& granularity) {
  switch (granularity.kind) {
  case Granularity::Kind::model: return "whole model";
  case Granularity::Kind::tensor: return "per tensor";
  case Granularity::Kind::layer: return "per layer";
  case Granularity::Kind::fusion: return "fused to " + human_bytes(granularity.bytes);
  case Granularity::Kind::ddp: return "DDP buckets of " + human_bytes(granularity.bytes);
  case Granularity::Kind::segments: return fmt::format("{} segments", granularity.segments);
  }
  return "";
}

std::string overlap_text(const Overlap& overlap) {
  switch (overlap.kind) {
  case OverlapKind::none: return "no overlap";
  case OverlapKind::layerwise: return "layer-wise overlap";
  case OverlapKind::pipelined: return fmt::format("pipelined with K = {}", overlap.k);
  }
  return "";
}

std::string compression_text(const CompressionSpec& c) {
  const bool encodes = c.encodes(false) || c.encodes(true);
  std::string text;
  if (!c.tensors.directory.empty())
    text = fmt::format(", real gradients{}", c.codec ? " through " + c.codec->name : "");
  else if (encodes && (c.ratio != 1 || c.placement || c.codec))
    text = fmt::format(", {} {:.6g}x{}", c.codec ? c.codec->name : "compressed", c.ratio, c.codec ? " (assumed)" : "");
  if (!c.placement) return text;
  switch (*c.placement) {
  case CodecPlacement::nic: return text + (encodes ? " in the NIC" : ", ordinary packets of the NIC");
  case CodecPlacement::gpu: return text + " on the GPU";
  case CodecPlacement::cpu: return text + " on the CPU";
  }
  return text;
}

} // namespace

std::string platform_line(const PlatformSpec& platform) {
  std::string text = counted(platform.nodes, "node");
  if (platform.node) {
    NetworkSpec network = platform.network;
    network.link = platform.node->nic;
    text += " of " + node_line(*platform.node) + ", " + network_text(network);
  } else {
    if (platform.gpus_per_node > 1) text += fmt::format(" x {} GPUs", platform.gpus_per_node);
    text += intra_node_text(platform.intra_node) + ", " + network_text(platform.network);
  }
  if (platform.message_overhead.value() > 0)
    text += fmt::format(", {} a message", human_seconds(platform.message_overhead.value()));
  text += platform.reduce_bandwidth ? ", reduces at " + human_byte_rate(platform.reduce_bandwidth->value())
                                    : ", reductions take no time";
  if (platform.nic)
    text += fmt::format(", compressing NICs ({} x {} bits, {:.6g} MHz)", platform.nic->engines,
                        platform.nic->width_bits, platform.nic->clock_hz / 1e6);
  const auto overrides = std::ssize(platform.node_overrides) + std::ssize(platform.link_overrides);
  if (overrides > 0) text += ", " + counted(overrides, "override");
  return titled(platform.name, text);
}

std::string workload_line(const Workload& workload) {
  std::int64_t tensors = 0;
  for (const Layer& layer : workload.layers) tensors += std::ssize(layer.tensors);
  std::string text = fmt::format("{}, {}", counted(tensors, "tensor"), human_bytes(workload.bytes()));
  if (workload.element() != Element::fp32) text += fmt::format(" in {}", fmt::join(workload.element_names(), " and "));
  const double compute = workload.forward() + workload.backward() + workload.update;
  if (compute > 0)
    text = fmt::format("{}, {}; computes {} (forward {}, backward {}, update {})",
                       counted(std::ssize(workload.layers), "layer"), text, human_seconds(compute),
                       human_seconds(workload.forward()), human_seconds(workload.backward()),
                       human_seconds(workload.update));
  else
    text += "; no compute";
  if (workload.batch > 0) text += fmt::format("; batch {}", workload.batch);
  return titled(workload.name, text);
}

std::string exchange_line(const TrainingSpec& training) {
  std::string text = fmt::format("{}, {}, {}", exchange_text(training.exchange), granularity_text(training.granularity),
                                 overlap_text(training.overlap));
  if (training.streams > 1) text += ", " + counted(training.streams, "stream");
  if (training.every > 1) text += fmt::format(", every {} steps", training.every);
  if (training.accumulation > 1) text += fmt::format(", {} mini-batches a step", training.accumulation);
  text += compression_text(training.compression);
  if (training.selection)
    text += fmt::format(", {:.6g} of the chunks of {} elements", training.selection->share,
                        training.selection->chunk_elements);
  if (!training.costs.empty()) text += ", " + counted(std::ssize(training.costs), "host cost");
  return text;
}

} // namespace gradflight
