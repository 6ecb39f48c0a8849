#include "analysis/explore/advice/what_ifs.hpp"

#include "analysis/explore/advice/what_ifs_platform.hpp"
#include "analysis/explore/advice/what_ifs_recovery.hpp"
#include "analysis/run/result/verdict.hpp"
#include "base/human.hpp"
#include "models/schedules/parts/collective.hpp"
#include "models/units/unit_text.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/failures.hpp"
#include "sim/simulate.hpp"
#include "sim/training/job_calls.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;
constexpr double without_limit = 1e6;
constexpr double reduces_at_once = 1e18; ///< bytes per second
/// The largest value that platform.nic accepts.
constexpr double fastest_clock_mhz = 1e5;
constexpr int most_engines = 1024;

class Collection {
public:
  Collection(const Scenario& scenario, const Json& canonical)
      : scenario_(scenario), canonical_(canonical),
        platform_(build_platform(scenario.platform, extra_nodes(scenario))) {}

  /// Adds a change, unless it sets nothing, or what another one of its kind sets.
  void add(WhatIf what) {
    const auto same = [&](const WhatIf& other) { return other.kind == what.kind && other.set == what.set; };
    if (what.set.empty() || std::ranges::any_of(all_, same)) return;
    all_.push_back(std::move(what));
  }
  void add(WhatIfKind kind, std::string change, std::string topic, Settings set, Fidelity fidelity = Fidelity::exact) {
    add({kind, std::move(change), std::move(topic), std::move(set), fidelity});
  }
  void repair();
  void resources();
  void upgrades();
  void compression();
  void overlap();
  void exchange_settings();
  void algorithms();
  void sharded_schedules();
  std::vector<WhatIf> take() { return std::move(all_); }

private:
  [[nodiscard]] const TrainingSpec& training() const { return scenario_.phases.back().training; }
  [[nodiscard]] bool in_nics() const { return training().compression.placement == CodecPlacement::nic; }
  [[nodiscard]] bool computes() const {
    const Workload& work = scenario_.workload;
    return work.forward() + work.backward() + work.update > 0;
  }
  [[nodiscard]] Settings speed(double speed) const {
    return with_override(canonical_,
                         {{"nodes", fmt::format("0-{}", scenario_.platform.nodes - 1)}, {"compute_speed", speed}});
  }
  /// Whether a library has tables for these GPUs, and links for the algorithm that the row prescribes. For other calls:
  /// whether the switch that they need exists.
  [[nodiscard]] bool could_call(const Collective& row) const {
    if (row.keys.library && !scenario_.platform.node) return false;
    Scenario changed = scenario_;
    ExchangeSpec& exchange = changed.phases.back().training.exchange = {};
    exchange.algorithm = static_cast<Algorithm>(&row - collectives().data());
    return call_problems(changed, platform_).empty();
  }
  /// Another exchange. Removes what names servers that no longer exist; only parameter servers and levels of a
  /// hierarchy have any.
  void exchange(const std::string& change, Json value) {
    const bool servers = value.at("algorithm") == "parameter_server" && !value.contains("colocated");
    Settings set{{"training.exchange", std::move(value)}};
    const bool dense = sends_lists(training().exchange); // then it loses no gradients, unlike the scenario's own
    if (!servers && platform_.nodes() > scenario_.platform.nodes && storage_nodes(scenario_) == 0) {
      if (!without_servers_) without_servers_ = leave_out_nodes(scenario_, canonical_, scenario_.platform.nodes);
      set.insert(set.end(), without_servers_->begin(), without_servers_->end());
    }
    add(WhatIfKind::setting, dense ? change + ", with dense gradients" : change, "exchange", std::move(set));
  }
  [[nodiscard]] Settings links(const std::vector<LinkTier>& tiers, double factor) const {
    return faster_links(scenario_, canonical_, platform_, tiers, factor);
  }
  [[nodiscard]] bool has(LinkTier tier) const {
    return std::ranges::any_of(platform_.links(), [tier](const DirectedLink& link) { return link.role.tier == tier; });
  }
  /// Returns settings of rates that are `factor` times as high; leaves out rates that the scenario does not have.
  [[nodiscard]] static Settings faster(const std::vector<std::pair<const char*, std::optional<ByteRate>>>& rates,
                                       double factor) {
    Settings settings;
    for (const auto& [path, rate] : rates)
      if (rate) settings.emplace_back(path, format_quantity(rate->value() * factor, Dimension::byte_rate));
    return settings;
  }
  [[nodiscard]] Settings faster_merging(double factor) const {
    return faster({{"training.exchange.merge_bandwidth", training().exchange.merge_bandwidth}}, factor);
  }
  /// Links by their common name, with their tiers.
  struct Part {
    std::string name, topic;
    std::vector<LinkTier> tiers;
  };
  [[nodiscard]] std::vector<Part> link_parts() const;
  const Scenario& scenario_;
  const Json& canonical_;
  Platform platform_;
  std::optional<Settings> without_servers_{};
  std::vector<WhatIf> all_;
};

std::vector<Collection::Part> Collection::link_parts() const {
  using enum LinkTier;
  const bool uplinks = has(network), gpus = has(gpu_link), slots = has(pcie), hosts = has(LinkTier::host);
  const bool servers = has(server) && has_servers(training().exchange);
  const Topology topology = scenario_.platform.network.topology;
  const bool between_switches =
      topology == Topology::racks || topology == Topology::fat_tree || topology == Topology::star;
  const std::string others = between_switches ? "uplinks" : bound_noun(Bounding::uplink, scenario_.platform);
  std::vector<LinkTier> nics;
  if (has(nic)) nics.push_back(nic);
  if (has(server) && !servers) nics.push_back(server); // like an aggregator's: the verdict counts it as any other
  const auto nics_and = [&](LinkTier other) {
    std::vector<LinkTier> all = nics;
    all.push_back(other);
    return all;
  };
  std::vector<Part> parts;
  if (!nics.empty() && uplinks) parts.push_back({"NICs and " + others, "network", nics_and(network)});
  if (!nics.empty()) parts.push_back({"NICs", "network", nics});
  if (uplinks) parts.push_back({others, "network", {network}});
  if (scenario_.platform.gpus_per_node > 1 || slots) {
    const std::string noun = bound_noun(Bounding::intra_node, scenario_.platform);
    if (gpus) parts.push_back({noun, "intra_node", {gpu_link}});
    if (slots) parts.push_back({"PCIe", "intra_node", {pcie}});
    if (hosts) parts.push_back({"links and memory of the hosts", "intra_node", {LinkTier::host}});
    if (gpus + slots + hosts > 1)
      parts.push_back({"links within nodes", "intra_node", {gpu_link, pcie, LinkTier::host}});
    // These lie in series on the way from node to node: if their limits are close, neither helps alone.
    if (slots && !nics.empty() && scenario_.platform.nodes > 1) {
      parts.push_back({"NICs and PCIe", "network", nics_and(pcie)});
      if (uplinks) {
        parts.push_back({fmt::format("NICs, {} and PCIe", others), "network", nics_and(network)});
        parts.back().tiers.push_back(pcie);
      }
    }
    if (hosts && !nics.empty() && scenario_.platform.nodes > 1)
      parts.push_back({"NICs, links and memory of the hosts", "network", nics_and(LinkTier::host)});
  }
  if (servers) {
    parts.push_back({"servers' NICs", "servers", {server}});
    parts.push_back({"NICs of workers and servers", "network", {nic, server}});
    if (uplinks) parts.push_back({"servers' NICs and " + others, "servers", {server, network}}); // also in series
  }
  return parts;
}

/// Makes parts that are slower than others of their kind like these.
void Collection::repair() {
  for (Repair& repair : repairs(scenario_, canonical_, platform_))
    add(WhatIfKind::hardware, std::move(repair.what), std::string(repair_topic), std::move(repair.set));
}

void Collection::resources() {
  const auto unlimited = [&](std::string change, Settings set) {
    add(WhatIfKind::unlimited, std::move(change), "unlimited", std::move(set));
  };
  const std::optional<Settings> even = no_stragglers(scenario_, canonical_, platform_);
  // Removes the shares of compute and of the slowest ranks together.
  if (computes()) {
    Settings at_once = speed(without_limit);
    for (auto& change : changes_without_speeds(scenario_, canonical_)) at_once.push_back(std::move(change));
    if (scenario_.platform.rate_while_computing) at_once.emplace_back("platform.rate_while_computing", 1);
    unlimited(even && even->empty() ? "compute in no time" : "compute in no time, stragglers too", std::move(at_once));
  }
  unlimited("no latency", shorter_latencies(canonical_, 0));
  const Settings reductions = faster_reductions(canonical_, without_limit);
  Json serving; // the server's bound includes its reduction and its updates
  if (!reductions.empty()) serving["reduce_bandwidth"] = format_quantity(reduces_at_once, Dimension::byte_rate);
  if (scenario_.workload.update > 0) serving["compute_speed"] = without_limit;
  for (const Part& part : link_parts()) {
    Settings set = links(part.tiers, without_limit);
    const bool servers = part.topic == "servers" && part.tiers.size() == 1;
    if (servers && !serving.is_null())
      override_nodes(canonical_, scenario_.platform.nodes, platform_.nodes(), serving, set);
    if (servers)
      unlimited("unlimited servers", std::move(set));
    else
      add({WhatIfKind::unlimited,
           "unlimited " + part.name,
           "unlimited",
           std::move(set),
           Fidelity::exact,
           {},
           part.tiers});
  }
  unlimited("reduction in no time", reductions);
  unlimited("merging in no time", faster_merging(without_limit));
  if (even) unlimited("no stragglers", *even);
  if (!scenario_.traffic.empty()) unlimited("without the other traffic", {{"traffic", Json::array()}});
  if (!scenario_.changes.empty()) unlimited("without the changes", {{"changes", Json::array()}});
  if (in_nics()) // packets and their headers stay: the time on the wire is not the codec's
    unlimited("codec in no time",
              {{"platform.nic.clock_mhz", fastest_clock_mhz}, {"platform.nic.engines", most_engines}});
  else if (training().compression.placement)
    unlimited(training().compression.placement == CodecPlacement::gpu ? "codec in no time, and off the GPU"
                                                                      : "codec in no time",
              {{"training.compression.placement", Json()},
               {"training.compression.encode_bandwidth", Json()},
               {"training.compression.decode_bandwidth", Json()}});
  if (!training().costs.empty()) unlimited("no host work", {{"training.costs", Json::array()}});
}

void Collection::upgrades() {
  const auto bought = [&](std::string change, std::string topic, Settings set) {
    add(WhatIfKind::hardware, std::move(change), std::move(topic), std::move(set));
  };
  for (const Part& part : link_parts())
    add({WhatIfKind::hardware, part.name + " x 2", part.topic, links(part.tiers, 2), Fidelity::exact, {}, part.tiers});
  bought("latency / 2", "latency", shorter_latencies(canonical_, 0.5));
  bought("reduction x 2", "reduction", faster_reductions(canonical_, 2));
  bought("merging x 2", "merging", faster_merging(2));
  if (in_nics()) {
    const int now = scenario_.platform.nic.value_or(NicSpec()).engines;
    const auto text = [](int engines) { return fmt::format("{} codec engines in each NIC", engines); };
    for (const int engines : {2 * now, 4 * now})
      if (engines <= most_engines) bought(text(engines), "engines", {{"platform.nic.engines", engines}});
    if (Settings both = links({LinkTier::nic}, 2); !both.empty() && 2 * now <= most_engines) { // these are in series
      both.emplace_back("platform.nic.engines", 2 * now);
      bought("NICs x 2 and " + text(2 * now), "network", std::move(both));
    }
  }
  const CompressionSpec& codec = training().compression;
  bought("codec x 2", "codec",
         faster({{"training.compression.encode_bandwidth", codec.encode_bandwidth},
                 {"training.compression.decode_bandwidth", codec.decode_bandwidth}},
                2));
  const ExchangeSpec& exchange = training().exchange;
  if (!has_servers(exchange)) return;
  if (!exchange.colocated) {
    for (const int times : {2, 4})
      bought(fmt::format("{} servers", times * exchange.servers), "servers",
             {{"training.exchange.servers", times * exchange.servers}});
  } else if (exchange.servers > 1 && scenario_.platform.gpus_per_node > 1 && scenario_.platform.nodes > 1 &&
             scenario_.placement == Placement::linear) {
    add(WhatIfKind::setting, "cyclic placement of ranks and servers", "servers", {{"placement", "cyclic"}});
  }
}

void Collection::compression() {
  const CompressionSpec& c = training().compression;
  if (!c.tensors.directory.empty() || sends_lists(training().exchange)) return;
  if (c.codec || c.ratio != 1)
    return add(WhatIfKind::setting, "no compression", "compression", {{"training.compression", Json()}});
  const auto codec = [&](const char* name, Fidelity fidelity) {
    add(WhatIfKind::setting, fmt::format("{} on the wire", name), "compression", {{"training.compression", name}},
        fidelity);
  };
  const auto element = scenario_.workload.element();
  if (!element) return; // a codec's ratio depends on the type
  if (*element == Element::fp32)
    for (const char* name : {"fp16", "bf16"}) codec(name, Fidelity::half);
  for (const char* name : {"quantize8", "inceptionn", "ternary", "threelc", "onebit"}) codec(name, Fidelity::lossy);
}

void Collection::overlap() {
  const Granularity& granularity = training().granularity;
  const bool ddp = granularity.kind == Granularity::Kind::ddp;
  const auto buckets = [](const char* size) { return Json{{"ddp_bucket", size}}; };
  const bool overlaps = scenario_.workload.backward() > 0;
  if (training().overlap.kind == OverlapKind::none && overlaps) {
    add(WhatIfKind::setting, "layer-wise overlap", "overlap", {{"training.overlap", "layerwise"}});
    add(WhatIfKind::setting, "layer-wise overlap, DDP buckets of 25 MiB", "overlap",
        {{"training.overlap", "layerwise"}, {"training.granularity", buckets("25MiB")}});
  }
  if (overlaps && training().overlap.kind == OverlapKind::layerwise && !is_sharded(training().exchange))
    for (const char* size : {"5MiB", "25MiB", "50MiB", "100MiB", "200MiB"})
      if (!ddp || parse_quantity(size, Dimension::bytes) != granularity.bytes)
        add(WhatIfKind::setting, fmt::format("DDP buckets of {}", size), "buckets",
            {{"training.granularity", buckets(size)}});
  for (const int streams : {1, 2, 4})
    if (training().streams == 1 ? streams > 1 && granularity.kind != Granularity::Kind::model : streams == 1)
      add(WhatIfKind::setting, counted(streams, "communication stream"), "streams", {{"training.streams", streams}});
  add(WhatIfKind::setting, "adaptive routing", "routing", adaptive_routing(scenario_.platform.network));
  if (scenario_.placement == Placement::cyclic)
    add(WhatIfKind::setting, "linear placement of ranks", "placement", {{"placement", "linear"}});
}

void Collection::exchange_settings() {
  const ExchangeSpec& now = training().exchange;
  const auto set = [&](std::string change, const char* key, Json value) {
    add(WhatIfKind::setting, std::move(change), key, {{fmt::format("training.exchange.{}", key), std::move(value)}});
  };
  if (collective(now.algorithm).name == "ring" && now.pieces == 1 && !faster_reductions(canonical_, 2).empty())
    for (const int pieces : {4, 16}) set(fmt::format("each block in {} pieces", pieces), "pieces", pieces);
  if (now.pieces > 1) set("each block in one piece", "pieces", 1);
  if (has_servers(now))
    set(now.pull == Pull::flat ? "updated parameters by a binomial tree" : "updated parameters from servers alone",
        "pull", now.pull == Pull::flat ? "binomial" : "flat");
  if (has_servers(now) || (is_sharded(now) && now.sharded.stage < 3))
    set(now.pull_at == PullAt::once ? "updated parameters at their first use" : "updated parameters at once", "pull_at",
        now.pull_at == PullAt::once ? "first_use" : "once");
  if (!is_sharded(now) || now.sharded.stage != 3) return;
  set(fmt::format("parameters gathered {} ahead", counted(now.sharded.prefetch + 1, "vector")), "prefetch",
      now.sharded.prefetch + 1);
  if (now.sharded.reshard_after_forward)
    set("parameters kept after the forward pass, in more memory", "reshard_after_forward", false);
}

/// Other schedules of the two halves of a sharded exchange.
void Collection::sharded_schedules() {
  const ExchangeSpec& now = training().exchange;
  if (now.sharded.library) return;
  for (const ReduceScatter scatter : {ReduceScatter::ring, ReduceScatter::recursive_halving})
    for (const AllGather gather : {AllGather::ring, AllGather::recursive_doubling}) {
      if (scatter == now.sharded.reduce_scatter && gather == now.all_gather) continue;
      const bool halving = scatter == ReduceScatter::recursive_halving;
      const bool doubling = gather == AllGather::recursive_doubling;
      add(WhatIfKind::setting,
          fmt::format("scattered by {}, gathered by {}", halving ? "recursive halving" : "a ring",
                      doubling ? "recursive doubling" : "a ring"),
          "exchange",
          {{"training.exchange.reduce_scatter", halving ? "recursive_halving" : "ring"},
           {"training.exchange.all_gather", doubling ? "recursive_doubling" : "ring"}});
    }
}

void Collection::algorithms() {
  const ExchangeSpec& now = training().exchange;
  if (is_sharded(now)) return sharded_schedules();
  if (sends_lists(now) && collective(now.algorithm).keys.all_gather) {
    const bool doubling = now.all_gather == AllGather::ring;
    add(WhatIfKind::setting, fmt::format("lists gathered by {}", doubling ? "recursive doubling" : "a ring"),
        "exchange", {{"training.exchange.all_gather", doubling ? "recursive_doubling" : "ring"}});
  }
  const int workers = scenario_.workers(), inside = scenario_.platform.gpus_per_node;
  const NetworkSpec& network = scenario_.platform.network;
  const auto groups = [&](int size, const char* what) {
    if (size <= 1 || size >= workers || workers % size != 0) return;
    const Json plain{{"algorithm", "hierarchical"}, {"group_size", size}};
    exchange(fmt::format("hierarchical, groups of {} ({})", size, what), plain);
    Json halving = plain;
    halving["top"] = "halving_doubling";
    exchange(fmt::format("hierarchical, groups of {} ({}), halving and doubling above", size, what), halving);
  };
  groups(inside, scenario_.placement == Placement::linear ? "nodes" : "ranks of several nodes");
  if (network.topology == Topology::racks) groups(inside * network.racks.nodes_per_rack, "racks");
  for (const Collective& row : collectives()) {
    const bool advised = row.name != "blocking_ring" && row.name != "mpi:4.1"; // the latter is "mpi" by another name
    if (row.unit != Unit::elements || row.keys.levels || row.keys.sharded || !advised || by_file(row)) continue;
    if (row.group.groups && inside == 1) continue; // without a second level, these are rings
    const bool same = row.name == collective(now.algorithm).name;
    if ((same && !row.keys.servers) || (by_calls(row) && !could_call(row))) continue;
    if (row.keys.servers) {
      if (same && now.colocated && now.servers == workers) continue;
      // Servers that exist already keep their other settings.
      Json servers = same ? canonical_.at("training").at("exchange") : Json{{"algorithm", row.name}};
      servers["servers"] = workers;
      servers["colocated"] = true;
      exchange("a server on every worker", std::move(servers));
    } else {
      exchange(std::string(row.title), Json{{"algorithm", row.name}});
    }
  }
}

} // namespace

const char* what_if_kind_name(WhatIfKind kind) {
  constexpr std::array<const char*, 4> names = {"unlimited", "hardware", "setting", "together"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<std::string> WhatIf::sets() const {
  std::vector<std::string> texts;
  for (const auto& [path, value] : set)
    texts.push_back(path + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  return texts;
}

std::vector<WhatIf> what_ifs(const Scenario& scenario, const std::string& canonical,
                             std::optional<std::int64_t> best_checkpoint) {
  const Json json = Json::parse(canonical);
  auto all = recovery_what_ifs(scenario, json, best_checkpoint);
  Collection collection(scenario, json);
  collection.repair();
  collection.resources();
  collection.upgrades();
  collection.compression();
  collection.overlap();
  collection.exchange_settings();
  collection.algorithms();
  for (WhatIf& what : collection.take()) all.push_back(std::move(what));
  return all;
}

} // namespace gradflight
