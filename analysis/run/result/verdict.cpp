#include "analysis/run/result/verdict.hpp"

#include "analysis/run/result/link_groups.hpp"
#include "analysis/run/result/outages.hpp"
#include "analysis/run/result/outcome.hpp"
#include "base/human.hpp"
#include "base/letters.hpp"
#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/libraries/library.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <span>
#include <utility>

namespace gradflight {
namespace {

using Shares = std::array<double, bounding_count>;
double& share_of(Shares& shares, Bounding what) { return shares[static_cast<std::size_t>(what)]; }

constexpr double tie_width = 1e-6; ///< relative: shares with a smaller difference tie
constexpr double rounding = 1e-12; ///< relative: a smaller share is none

bool ties(double a, double b) { return std::abs(a - b) <= tie_width * std::max(std::abs(a), std::abs(b)); }

const TrainingSpec& main_training(const Scenario& scenario) { return scenario.phases.back().training; }

/// Returns the name of the network's own links.
std::string network_noun(const NetworkSpec& network) {
  switch (network.topology) {
  case Topology::torus: return "links between nodes";
  case Topology::dragonfly: return "links between routers";
  case Topology::graph:
    if (std::ranges::none_of(network.edges, &GraphEdge::joins_nodes)) return "links between switches";
    return std::ranges::any_of(network.edges, &GraphEdge::joins_switches) ? "links between nodes or switches"
                                                                          : "links between nodes";
  default: return "the uplinks";
  }
}

/// The bounds of those parts of a path that depend on the exchange and its participants.
struct PathUse {
  Bounding servers = Bounding::nic; ///< cables of extra nodes
  Bounding reductions = Bounding::reducer;
  Bounding unattributed = Bounding::protocol; ///< bytes and sharing without a known link
  bool own_hops = false; ///< a library's hops have their own times, independent of the links' latencies
  bool copies = false;   ///< a library's ranks copy what they keep (HopCosts::copy_rate)
};

/// Returns the seconds of bytes and sharing without a known link. They include PathDetails::protocol.
double unattributed_seconds(const OwnPath& own) {
  return at(own.path, Part::beta) + at(own.path, Part::contention) -
         std::accumulate(own.held.begin(), own.held.end(), 0.0);
}

/// Returns the shares of all parts except computation.
Shares shares_of(const OwnPath& own, double time, const PathUse& use) {
  const auto part = [&](Part p) { return at(own.path, p); };
  Shares shares{};
  share_of(shares, Bounding::latency) = part(Part::alpha) + own.details.launching;
  share_of(shares, Bounding::reducer) = part(Part::merge);
  share_of(shares, use.reductions) += part(Part::gamma) + own.details.serving;
  share_of(shares, Bounding::codec) = part(Part::codec) + part(Part::nic_pipeline) + part(Part::nic_engine);
  share_of(shares, Bounding::host) = std::max(0.0, part(Part::host) - own.details.launching);
  share_of(shares, Bounding::traffic) = part(Part::traffic);
  share_of(shares, Bounding::outage) = part(Part::outage);
  for (int t = 0; t < link_tiers; ++t) {
    const auto tier = static_cast<LinkTier>(t);
    share_of(shares, bounding_of(tier, use.servers)) += at(own.held, tier);
  }
  share_of(shares, Bounding::protocol) += own.details.protocol;
  if (const double unattributed = unattributed_seconds(own) - own.details.protocol; unattributed > tie_width * time)
    share_of(shares, use.unattributed) += unattributed;
  return shares;
}

/// Whether reductions take time on the platform itself.
bool reductions_take_time(const PlatformSpec& platform) {
  return platform.reduce_bandwidth || std::ranges::any_of(platform.node_overrides, [](const NodeOverride& change) {
           return change.reduce_bandwidth.has_value();
         });
}

/// Names the bounds as sentences about this platform do.
void name_bounds(std::vector<Bound>& bounds, const PlatformSpec& platform, const OwnPath& own, const PathUse& use) {
  for (Bound& bound : bounds) {
    bound.name = bound_noun(bound.what, platform);
    if (bound.what == Bounding::latency && use.own_hops) bound.name = "latency with the library's hops";
    if (bound.what == Bounding::reducer && use.copies)
      bound.name = reductions_take_time(platform) ? "reduction and copying" : "copying";
    const double unattributed = unattributed_seconds(own);
    if (bound.what == Bounding::protocol && use.own_hops && use.unattributed == Bounding::protocol &&
        !platform.protocol && unattributed - own.details.protocol > unattributed / 2)
      bound.name = "waiting for credits";
  }
}

void sort(std::vector<Bound>& bounds) {
  std::ranges::stable_sort(bounds,
                           [](const Bound& a, const Bound& b) { return a.share > b.share && !ties(a.share, b.share); });
}

/// Returns bounds without names, largest first.
std::vector<Bound> sorted(const Shares& shares) {
  double all = 0;
  for (const double seconds : shares) all += std::max(0.0, seconds);
  std::vector<Bound> bounds;
  if (!(all > 0)) return bounds;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] > rounding * all) bounds.push_back({static_cast<Bounding>(i), shares[i] / all, {}});
  sort(bounds);
  return bounds;
}

/// Replaces the single bound for all outages by one named bound per outage. Bounds with equal shares keep their order.
void name_outages(std::vector<Bound>& bounds, const std::vector<NamedOutage>& outages) {
  const auto all = std::ranges::find(bounds, Bounding::outage, &Bound::what);
  if (all == bounds.end()) return;
  double sum = 0;
  for (const NamedOutage& outage : outages) sum += outage.seconds;
  std::vector<Bound> each;
  for (const NamedOutage& outage : outages)
    if (outage.seconds > 0)
      each.push_back({Bounding::outage, all->share * outage.seconds / sum, "waiting for " + outage.name});
  if (each.empty()) return;
  bounds.insert(bounds.erase(all), each.begin(), each.end());
  sort(bounds);
}

bool is_link(Bounding what) {
  using enum Bounding;
  return what == nic || what == uplink || what == intra_node || what == pcie || what == host_links || what == server;
}

bool is_plural(Bounding what) {
  return what == Bounding::nic || what == Bounding::uplink || what == Bounding::host_links ||
         what == Bounding::straggler || what == Bounding::sharing;
}

} // namespace

const char* Bound::verb() const { return is_plural(what) ? "bound" : "bounds"; }

std::string Bound::noun() const { return name.empty() ? bounding_noun(what) : name; }

const char* bounding_name(Bounding what) {
  constexpr std::array<const char*, bounding_count> names = {
      "compute", "latency",   "nic",   "uplink", "intra_node", "intra_node", "intra_node", "reducer",
      "server",  "straggler", "codec", "host",   "traffic",    "outage",     "protocol",   "sharing"};
  return names[static_cast<std::size_t>(what)];
}

const char* bounding_noun(Bounding what) {
  constexpr std::array<const char*, bounding_count> nouns = {"compute",
                                                             "latency",
                                                             "the NICs",
                                                             "the uplinks",
                                                             "NVLink",
                                                             "PCIe",
                                                             "links and memory of the hosts",
                                                             "reduction",
                                                             "the server",
                                                             "the slowest ranks",
                                                             "the codec",
                                                             "host work",
                                                             "other traffic",
                                                             "waiting for links that are down",
                                                             "waiting for the protocol",
                                                             "shared links, which this engine does not name,"};
  return nouns[static_cast<std::size_t>(what)];
}

std::string bound_noun(Bounding what, const PlatformSpec& platform) {
  if (what == Bounding::uplink) return network_noun(platform.network);
  if (what == Bounding::protocol && !platform.protocol) return "the library's protocol";
  if (what == Bounding::intra_node && platform.node && platform.node->intra == NodeFabric::xgmi_mesh) return "xGMI";
  return bounding_noun(what);
}

Bounding bounding_of(LinkTier tier, Bounding servers) {
  switch (tier) {
  case LinkTier::nic: return Bounding::nic;
  case LinkTier::server: return servers;
  case LinkTier::network: return Bounding::uplink;
  case LinkTier::gpu_link: return Bounding::intra_node;
  case LinkTier::pcie: return Bounding::pcie;
  case LinkTier::host: return Bounding::host_links;
  case LinkTier::codec: return Bounding::codec;
  }
  return Bounding::nic;
}

Bounding bounding_of(LinkTier tier, const Scenario& scenario) {
  return bounding_of(tier, has_servers(main_training(scenario).exchange) ? Bounding::server : Bounding::nic);
}

std::vector<Bound> bound_by(const Scenario& scenario, const RunResult& result) {
  const PathEvents& events = result.iteration_events;
  return bound_by(
      scenario, result,
      {result.iteration_path, result.iteration_held, result.iteration_details, events.costs, events.outages},
      result.iteration_begin, result.iteration_end);
}

std::vector<Bound> bound_by(const Scenario& scenario, const RunResult& result, const OwnPath& own, double begin,
                            double end) {
  const Path& path = own.path;
  PathUse use;
  if (has_servers(main_training(scenario).exchange)) use.servers = use.reductions = Bounding::server;
  if (scenario.engine.kind == EngineKind::simgrid) use.unattributed = Bounding::sharing;
  const Collective* caller = caller_of(main_training(scenario).exchange);
  const auto library = caller != nullptr && by_library(*caller) ? library_named(caller->name) : std::nullopt;
  use.own_hops = library && library->kind != LibraryKind::mpi;
  use.copies = library && library->kind == LibraryKind::nccl;
  Shares shares = shares_of(own, end - begin, use);
  const double computing = at(path, Part::compute) + at(path, Part::update) - own.details.serving;
  const double slower = own.details.straggling;
  const double excess = slower > tie_width * computing ? std::min(slower, computing) : 0;
  std::vector<NamedOutage> outages;
  if (const double waited = at(path, Part::outage); waited > 0)
    outages = link_outages(scenario, result, own.outages, waited);
  // Ranks that were down are not stragglers.
  const double down = std::min(excess, own.details.down);
  if (down > 0) {
    // Outages are those of all steps from `begin` to `end`, of which `own` may be the mean.
    const double steps = (end - begin) / std::accumulate(path.begin(), path.end(), 0.0);
    const double start = scenario.seat ? scenario.seat->start : before_start(result).value_or(0);
    for (const NamedOutage& outage : gpu_outages(scenario, result, start + begin, start + end, down * steps, own.costs))
      outages.push_back({outage.name, outage.seconds / steps});
  }
  share_of(shares, Bounding::compute) = computing - excess + at(path, Part::interference);
  share_of(shares, Bounding::straggler) = excess - down;
  share_of(shares, Bounding::outage) += down;
  std::vector<Bound> bounds = sorted(shares);
  name_bounds(bounds, scenario.platform, own, use);
  const bool reduces = use.reductions == Bounding::reducer && at(path, Part::gamma) > 0;
  for (Bound& bound : bounds) {
    if (bound.what == Bounding::reducer && at(path, Part::merge) > 0)
      bound.name = reduces ? "reduction and merging" : "merging";
  }
  name_outages(bounds, outages);
  return bounds;
}

std::vector<Bound> bound_by(const PlatformSpec& platform, const OwnPath& path, bool own_hops, bool copies) {
  PathUse use;
  use.own_hops = own_hops;
  use.copies = copies;
  const double time = std::accumulate(path.path.begin(), path.path.end(), 0.0);
  std::vector<Bound> bounds = sorted(shares_of(path, time, use));
  name_bounds(bounds, platform, path, use);
  return bounds;
}

std::span<const Bound> first_bounds(const std::vector<Bound>& bounds) {
  std::size_t first = 1;
  while (first < bounds.size() && ties(bounds[first].share, bounds.front().share)) ++first;
  return std::span(bounds).first(first);
}

/// Whether its noun ends with "..., down from 10 ms to 60 ms".
static bool is_apposed(const Bound& bound) { return bound.what == Bounding::outage; }

std::string first_nouns(const std::vector<Bound>& bounds) {
  const std::span<const Bound> first = first_bounds(bounds);
  std::string who;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i > 0) who += i + 1 < first.size() || is_apposed(first[i - 1]) ? ", " : " ";
    if (i > 0 && i + 1 == first.size()) who += "and ";
    who += first[i].noun();
  }
  return who;
}

const char* first_verb(const std::vector<Bound>& bounds) {
  return first_bounds(bounds).size() > 1 ? "bound" : bounds.front().verb();
}

std::string verdict_text(const std::vector<Bound>& bounds, double iteration_time) {
  if (bounds.empty()) return "The step takes no time.";
  const std::size_t first = first_bounds(bounds).size();
  std::string text = fmt::format("{}{} {} the step: {} of {}", capitalised(first_nouns(bounds)),
                                 is_apposed(bounds[first - 1]) ? "," : "", first_verb(bounds),
                                 human_percent(bounds.front().share), human_seconds(iteration_time));
  if (first > 1) text += " each";
  for (std::size_t i = first; i < bounds.size(); ++i)
    text += fmt::format("{} {}{} {}", i == first ? "; then" : ",", bounds[i].noun(),
                        bounds[i].what == Bounding::outage ? ":" : "", human_percent(bounds[i].share));
  return text + ".";
}

std::string beyond_text(const std::vector<Bound>& bounds, std::vector<Bottleneck>& bottlenecks,
                        const Scenario& scenario) {
  if (bounds.empty() || bottlenecks.empty() || !is_link(bounds.front().what)) return "";
  const std::span<const Bound> first = first_bounds(bounds);
  const auto bounds_it = [&](const Bottleneck& links) {
    return std::ranges::find(first, bounding_of(links.tier, scenario), &Bound::what) != first.end();
  };
  if (bounds_it(bottlenecks.front())) return "";
  std::erase_if(bottlenecks, bounds_it);
  return fmt::format("besides {} ({} of the step): ", first_nouns(bounds), human_percent(bounds.front().share));
}

} // namespace gradflight
