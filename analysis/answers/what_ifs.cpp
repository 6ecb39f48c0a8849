#include "analysis/answers/what_ifs.hpp"

#include "analysis/answers/what_ifs_platform.hpp"
#include "analysis/answers/what_ifs_recovery.hpp"
#include "models/units/unit_text.hpp"
#include "sim/schedules/parts/collective.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;
constexpr double without_limit = 1e6;

class Collection {
public:
  Collection(const Scenario& scenario, const Json& canonical) : scenario_(scenario), canonical_(canonical) {}

  void add(WhatIfKind kind, std::string change, std::string topic, Settings set) {
    if (!set.empty()) all_.push_back({kind, std::move(change), std::move(topic), std::move(set)});
  }
  void resources();
  void upgrades();
  void compression();
  void overlap();
  void algorithms();
  std::vector<WhatIf> take() { return std::move(all_); }

private:
  [[nodiscard]] const TrainingSpec& training() const { return scenario_.phases.back().training; }
  [[nodiscard]] bool computes() const { return scenario_.workload.backward() > 0; }
  [[nodiscard]] Settings speed(double speed) const {
    return with_override(canonical_,
                         {{"nodes", fmt::format("0-{}", scenario_.platform.nodes - 1)}, {"compute_speed", speed}});
  }
  [[nodiscard]] bool uneven() const {
    const auto own = [](const NodeOverride& change) { return change.compute_speed.has_value(); };
    return std::ranges::any_of(scenario_.platform.node_overrides, own) || scenario_.platform.jitter.has_value();
  }
  void exchange(const std::string& change, Json value) {
    add(WhatIfKind::setting, change, "exchange", {{"training.exchange", std::move(value)}});
  }
  const Scenario& scenario_;
  const Json& canonical_;
  std::vector<WhatIf> all_;
};

void Collection::resources() {
  const auto unlimited = [&](std::string change, Settings set) {
    add(WhatIfKind::unlimited, std::move(change), "unlimited", std::move(set));
  };
  if (computes()) unlimited("compute in no time", speed(without_limit));
  unlimited("no latency", shorter_latencies(canonical_, 0));
  const auto links = [&](Bounding part) { return faster_links(scenario_, canonical_, part, without_limit); };
  unlimited("unlimited NICs", links(Bounding::nic));
  unlimited("unlimited uplinks", links(Bounding::uplink));
  unlimited("unlimited NICs and uplinks",
            links(Bounding::uplink).empty() ? Settings() : faster_network(scenario_, canonical_, without_limit));
  unlimited("unlimited links within nodes", links(Bounding::intra_node));
  unlimited("unlimited servers", links(Bounding::server));
  if (const auto& rate = scenario_.platform.reduce_bandwidth)
    unlimited("reduction in no time",
              {{"platform.reduce_bandwidth", format_quantity(rate->value() * without_limit, Dimension::byte_rate)}});
  if (uneven()) {
    Settings even =
        speed(nominal_compute(scenario_) > 0 ? (scenario_.workload.forward() + scenario_.workload.backward()) *
                                                       training().accumulation / nominal_compute(scenario_) +
                                                   scenario_.workload.update / nominal_compute(scenario_)
                                             : 1);
    if (scenario_.platform.jitter) even.emplace_back("platform.jitter", Json());
    unlimited("no stragglers", std::move(even));
  }
  if (training().compression.placement)
    unlimited("codec in no time", {{"training.compression.placement", Json()},
                                   {"training.compression.encode_bandwidth", Json()},
                                   {"training.compression.decode_bandwidth", Json()}});
  if (!training().costs.empty()) unlimited("no host work", {{"training.costs", Json::array()}});
}

void Collection::upgrades() {
  const auto bought = [&](std::string change, std::string topic, Settings set) {
    add(WhatIfKind::hardware, std::move(change), std::move(topic), std::move(set));
  };
  const Settings uplinks = faster_links(scenario_, canonical_, Bounding::uplink, 2);
  if (!uplinks.empty()) bought("NICs and uplinks x 2", "network", faster_network(scenario_, canonical_, 2));
  bought("NICs x 2", "network", faster_links(scenario_, canonical_, Bounding::nic, 2));
  bought("uplinks x 2", "network", uplinks);
  bought("links within nodes x 2", "intra_node", faster_links(scenario_, canonical_, Bounding::intra_node, 2));
  bought("latency / 2", "latency", shorter_latencies(canonical_, 0.5));
  bought("servers' NICs x 2", "servers", faster_links(scenario_, canonical_, Bounding::server, 2));
  const ExchangeSpec& exchange = training().exchange;
  if (!has_servers(exchange) || exchange.colocated) return;
  for (const int times : {2, 4})
    bought(fmt::format("{} servers", times * exchange.servers), "servers",
           {{"training.exchange.servers", times * exchange.servers}});
}

void Collection::compression() {
  const CompressionSpec& c = training().compression;
  if (c.codec || c.ratio != 1 || !c.tensors.directory.empty() || sends_lists(training().exchange)) return;
  for (const char* name : {"fp16", "quantize8", "inceptionn", "ternary", "threelc", "onebit"})
    add(WhatIfKind::setting, fmt::format("{} on the wire", name), "compression", {{"training.compression", name}});
}

void Collection::overlap() {
  const Granularity& granularity = training().granularity;
  const bool ddp = granularity.kind == Granularity::Kind::ddp;
  const auto buckets = [](const char* size) { return Json{{"ddp_bucket", size}}; };
  if (training().overlap.kind == OverlapKind::none && computes()) {
    add(WhatIfKind::setting, "layer-wise overlap", "overlap", {{"training.overlap", "layerwise"}});
    add(WhatIfKind::setting, "layer-wise overlap, DDP buckets of 25 MiB", "overlap",
        {{"training.overlap", "layerwise"}, {"training.granularity", buckets("25MiB")}});
  }
  if (computes() && training().overlap.kind == OverlapKind::layerwise && !is_sharded(training().exchange))
    for (const char* size : {"5MiB", "25MiB", "50MiB", "100MiB", "200MiB"})
      if (!ddp || parse_quantity(size, Dimension::bytes) != granularity.bytes)
        add(WhatIfKind::setting, fmt::format("DDP buckets of {}", size), "buckets",
            {{"training.granularity", buckets(size)}});
  if (granularity.kind != Granularity::Kind::model && training().streams == 1)
    for (const int streams : {2, 4})
      add(WhatIfKind::setting, fmt::format("{} communication streams", streams), "streams",
          {{"training.streams", streams}});
}

void Collection::algorithms() {
  const ExchangeSpec& now = training().exchange;
  if (sends_lists(now) || is_sharded(now)) return;
  const int workers = scenario_.workers(), inside = scenario_.platform.gpus_per_node;
  const NetworkSpec& network = scenario_.platform.network;
  const auto groups = [&](int size, const char* what) {
    if (size <= 1 || size >= workers || workers % size != 0) return;
    const Json plain{{"algorithm", "hierarchical"}, {"group_size", size}};
    exchange(fmt::format("hierarchical, groups of {} ({})", size, what), plain);
    Json halving = plain;
    halving["top"] = "halving_doubling";
    exchange(fmt::format("hierarchical, groups of {} ({}), halving and doubling above", size, what), halving);
    exchange(fmt::format("rings in groups of {} ({}), then a ring among them at every place", size, what),
             Json{{"algorithm", "two_level"}, {"group_size", size}});
  };
  groups(inside, "nodes");
  if (network.topology == Topology::racks) groups(inside * network.racks.nodes_per_rack, "racks");
  for (const Collective& row : collectives()) {
    if (row.unit != Unit::elements || row.keys.levels || row.keys.sharded || row.name == "blocking_ring") continue;
    if (row.name == collective(now.algorithm).name || (row.keys.library && !scenario_.platform.node)) continue;
    if (row.keys.servers)
      exchange("a server on every worker", Json{{"algorithm", row.name}, {"servers", workers}, {"colocated", true}});
    else
      exchange(std::string(row.title), Json{{"algorithm", row.name}});
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
  collection.resources();
  collection.upgrades();
  collection.compression();
  collection.overlap();
  collection.algorithms();
  for (WhatIf& what : collection.take()) all.push_back(std::move(what));
  return all;
}

WhatIf together(const std::vector<const WhatIf*>& parts) {
  WhatIf whole{WhatIfKind::together, {}, {}, {}};
  std::map<std::string, Json> taken;
  for (const WhatIf* part : parts) {
    whole.change += (whole.change.empty() ? "" : " + ") + part->change;
    whole.topic += part->topic + " ";
    for (const auto& [path, value] : part->set) {
      const auto [found, fresh] = taken.emplace(path, value);
      if (fresh)
        whole.set.emplace_back(path, value);
      else if (found->second != value)
        return {};
    }
  }
  return whole;
}

} // namespace gradflight
