#include "analysis/result/verdict.hpp"

#include "analysis/human/human.hpp"
#include "platforms/code/describe.hpp"
#include "sim/schedules/parts/collective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace gradflight {
namespace {

using Shares = std::array<double, bounding_count>;
double& share_of(Shares& shares, Bounding what) { return shares[static_cast<std::size_t>(what)]; }

constexpr double tie_width = 1e-6; ///< relative: what ties

bool ties(double a, double b) { return std::abs(a - b) <= tie_width * std::max(std::abs(a), std::abs(b)); }

const TrainingSpec& main_training(const Scenario& scenario) { return scenario.phases.back().training; }

double median_speed(const Scenario& scenario) {
  std::vector<double> speeds(static_cast<std::size_t>(scenario.platform.nodes), 1.0);
  for (const NodeOverride& change : scenario.platform.node_overrides)
    for (const int node : change.nodes)
      if (change.compute_speed && node < scenario.platform.nodes)
        speeds[static_cast<std::size_t>(node)] = *change.compute_speed;
  const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::ranges::nth_element(speeds, middle);
  return *middle;
}

/// What the busiest and the narrowest link of each kind tell.
struct Demand {
  double seconds = 0; ///< an iteration's bytes of the busiest link over its bandwidth
  double narrowest = std::numeric_limits<double>::infinity();
};

std::array<Demand, bounding_count> demands(const Scenario& scenario, const RunResult& result) {
  std::array<Demand, bounding_count> found{};
  const auto iterations = static_cast<double>(std::max<std::size_t>(1, result.iterations.size()));
  for (const LinkResult& link : result.links) {
    if (link.bytes <= 0 || link.bandwidth <= 0) continue;
    Bounding what = link_part(link.name, scenario);
    if (what == Bounding::codec) continue;
    if (what == Bounding::server) what = Bounding::nic; // alone on its route a message meets both alike
    Demand& demand = found[static_cast<std::size_t>(what)];
    demand.seconds = std::max(demand.seconds, link.bytes / link.bandwidth / iterations);
    demand.narrowest = std::min(demand.narrowest, link.bandwidth);
  }
  Demand& uplink = found[static_cast<std::size_t>(Bounding::uplink)];
  const Demand& nic = found[static_cast<std::size_t>(Bounding::nic)];
  // What crosses an uplink crosses a NIC, which is the route's bottleneck where it is narrower.
  if (nic.seconds > 0 && uplink.narrowest > nic.narrowest * (1 + tie_width)) uplink.seconds = 0;
  return found;
}

void add_contention(Shares& shares, double seconds, const Scenario& scenario, const std::vector<DearLinks>& dearest) {
  double all = 0;
  for (const DearLinks& links : dearest) all += links.seconds;
  for (const DearLinks& links : dearest)
    share_of(shares, link_part(links.link, scenario)) += seconds * links.seconds / all;
  if (all <= 0)
    share_of(shares, has_servers(main_training(scenario).exchange) ? Bounding::server : Bounding::nic) += seconds;
}

void add_beta(Shares& shares, double seconds, const Scenario& scenario, const RunResult& result) {
  const auto wanted = demands(scenario, result);
  std::vector<std::pair<double, Bounding>> claims;
  for (const Bounding what : {Bounding::nic, Bounding::uplink, Bounding::intra_node}) {
    const double claim = wanted[static_cast<std::size_t>(what)].seconds - share_of(shares, what);
    if (claim > 0) claims.emplace_back(claim, what);
  }
  if (claims.empty()) claims.emplace_back(seconds, Bounding::nic);
  std::ranges::stable_sort(claims,
                           [](const auto& a, const auto& b) { return a.first > b.first && !ties(a.first, b.first); });
  const Bounding first = claims.front().second;
  for (std::size_t i = 0; i < claims.size() && seconds > 0;) {
    std::size_t end = i + 1;
    while (end < claims.size() && ties(claims[i].first, claims[end].first)) ++end;
    const double taken = std::min(seconds, claims[i].first);
    for (std::size_t k = i; k < end; ++k) share_of(shares, claims[k].second) += taken / static_cast<double>(end - i);
    seconds -= taken;
    i = end;
  }
  if (seconds > 0) share_of(shares, first) += seconds; // more than any link's bytes: hops one after the other
}

/// What a rank's own queue stands for.
Bounding queue_part(const Scenario& scenario) {
  const TrainingSpec& training = main_training(scenario);
  if (!training.costs.empty()) return Bounding::host;
  if (training.compression.in_software()) return Bounding::codec;
  return has_servers(training.exchange) ? Bounding::server : Bounding::reducer;
}

} // namespace

const char* bounding_name(Bounding what) {
  constexpr std::array<const char*, bounding_count> names = {"compute", "latency", "nic",       "uplink", "intra_node",
                                                             "reducer", "server",  "straggler", "codec",  "host"};
  return names[static_cast<std::size_t>(what)];
}

const char* bounding_noun(Bounding what) {
  constexpr std::array<const char*, bounding_count> nouns = {
      "compute",   "latency",    "the NICs",          "the uplinks", "links within nodes",
      "reduction", "the server", "the slowest ranks", "the codec",   "host work"};
  return nouns[static_cast<std::size_t>(what)];
}

Bounding link_part(const std::string& name, const Scenario& scenario) {
  if (name.find("compressor.") != std::string::npos) return Bounding::codec;
  const std::string kind = cable_kind(name);
  if (!kind.starts_with("node*")) return Bounding::uplink;
  if (kind != "node*" && kind != "node*.nic*" && kind.starts_with("node*.")) return Bounding::intra_node;
  const bool extra = std::stoll(name.substr(4)) >= scenario.platform.nodes;
  return extra && has_servers(main_training(scenario).exchange) ? Bounding::server : Bounding::nic;
}

double nominal_compute(const Scenario& scenario) {
  const Workload& workload = scenario.workload;
  const double passes = (workload.forward() + workload.backward()) * main_training(scenario).accumulation;
  return (passes + workload.update) / median_speed(scenario);
}

std::vector<Bound> bound_by(const Scenario& scenario, const RunResult& result, const std::vector<DearLinks>& dearest) {
  const Path& path = result.iteration_path;
  const auto part = [&](Part p) { return at(path, p); };
  Shares shares{};
  const double computing = part(Part::compute) + part(Part::update);
  const double nominal = nominal_compute(scenario);
  const double excess =
      result.compute_time > nominal * (1 + tie_width) ? computing * (1 - nominal / result.compute_time) : 0;
  share_of(shares, Bounding::compute) = computing - excess + part(Part::interference);
  share_of(shares, Bounding::straggler) = excess;
  share_of(shares, Bounding::latency) = part(Part::alpha);
  share_of(shares, Bounding::reducer) = part(Part::merge);
  share_of(shares, has_servers(main_training(scenario).exchange) ? Bounding::server : Bounding::reducer) +=
      part(Part::gamma);
  share_of(shares, Bounding::codec) = part(Part::codec) + part(Part::nic_pipeline) + part(Part::nic_engine);
  share_of(shares, Bounding::host) = part(Part::host);
  share_of(shares, queue_part(scenario)) += part(Part::queue);
  Shares links{};
  add_contention(links, part(Part::contention), scenario, dearest);
  add_beta(links, part(Part::beta), scenario, result);

  double all = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) all += std::max(0.0, shares[i] += links[i]);
  std::vector<Bound> bounds;
  if (!(all > 0)) return bounds;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (shares[i] > 0) bounds.push_back({static_cast<Bounding>(i), shares[i] / all});
  std::ranges::stable_sort(bounds,
                           [](const Bound& a, const Bound& b) { return a.share > b.share && !ties(a.share, b.share); });
  return bounds;
}

std::string verdict_text(const std::vector<Bound>& bounds, double iteration_time) {
  if (bounds.empty()) return "The step takes no time.";
  std::size_t first = 1; // those that tie for the first place
  while (first < bounds.size() && ties(bounds[first].share, bounds.front().share)) ++first;
  std::string who;
  for (std::size_t i = 0; i < first; ++i)
    who += (i == 0 ? "" : i + 1 == first ? " and " : ", ") + std::string(bounding_noun(bounds[i].what));
  who.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(who.front())));
  const bool plural = first > 1 || bounds.front().what == Bounding::nic || bounds.front().what == Bounding::uplink ||
                      bounds.front().what == Bounding::intra_node || bounds.front().what == Bounding::straggler;
  std::string text = fmt::format("{} {} the step: {} of {}", who, plural ? "bound" : "bounds",
                                 human_percent(bounds.front().share), human_seconds(iteration_time));
  if (first > 1) text += " each";
  for (std::size_t i = first; i < bounds.size(); ++i)
    text += fmt::format("{} {} {}", i == first ? "; then" : ",", bounding_noun(bounds[i].what),
                        human_percent(bounds[i].share));
  return text + ".";
}

} // namespace gradflight
