#include "platforms/code/fabric.hpp"

#include <cmath>
#include <fmt/format.h>

namespace gradflight {

void LinkTable::add(std::string name, ByteRate bandwidth, const std::optional<Seconds>& latency, const LinkRole& role) {
  links.push_back({std::move(name), bandwidth.value(), latency.value_or(Seconds()).value(), 0, role});
}

void LinkTable::cable(std::string up, std::string down, const LinkSpec& spec, LinkRole role) {
  role.way = LinkWay::up;
  add(std::move(up), spec.egress.value_or(spec.bandwidth), spec.latency, role);
  role.way = LinkWay::down;
  add(std::move(down), spec.ingress.value_or(spec.bandwidth), spec.latency, role);
}

void LinkTable::terminal_cables(const Terminals& terminals, const LinkSpec& spec) {
  for (int t = 0; t < terminals.total(); ++t) {
    const std::string name = terminals.name(t);
    cable(name + ".up", name + ".down", spec, terminals.role(t));
  }
}

LinkRole Terminals::role(int terminal) const {
  LinkRole role;
  role.tier = terminal < own() ? LinkTier::nic : LinkTier::server;
  role.type = LinkType::cable;
  role.owner = node(terminal);
  if (nics) role.nic = static_cast<std::int16_t>(terminal < own() ? terminal % per_node : 0);
  return role;
}

std::string Terminals::name(int terminal) const {
  if (!nics) return fmt::format("node{}", node(terminal));
  return fmt::format("node{}.nic{}", node(terminal), terminal < own() ? terminal % per_node : 0);
}

std::string NodeCount::text() const {
  if (extra == 0) return fmt::format("{} nodes", own);
  return fmt::format("{} nodes ({} of the platform and {} extra for servers)", total(), own, extra);
}

namespace {
bool positive(double value) { return std::isfinite(value) && value > 0; }
} // namespace

void check_rate(const std::optional<ByteRate>& rate, const std::string& pointer, PlatformErrors& errors) {
  if (rate && !positive(rate->value()))
    errors.push_back({pointer, fmt::format("a bandwidth must be above 0, not {} B/s", rate->value())});
}

void check_latency(Seconds latency, const std::string& pointer, PlatformErrors& errors) {
  if (!std::isfinite(latency.value()) || latency.value() < 0)
    errors.push_back({pointer, fmt::format("a latency must be 0 or more, not {} s", latency.value())});
}

void check_link(const LinkSpec& spec, const std::string& pointer, Ends ends, PlatformErrors& errors) {
  check_rate(spec.bandwidth, pointer + "/bandwidth", errors);
  if (spec.latency) check_latency(*spec.latency, pointer + "/latency", errors);
  check_rate(spec.egress, pointer + "/egress_bandwidth", errors);
  check_rate(spec.ingress, pointer + "/ingress_bandwidth", errors);
  if (ends == Ends::up_down) return;
  constexpr auto text =
      "both ends of this cable are of the same kind, so it has no up and down; change one direction with an override";
  if (spec.egress) errors.push_back({pointer + "/egress_bandwidth", text});
  if (spec.ingress) errors.push_back({pointer + "/ingress_bandwidth", text});
}

bool check_count(std::int64_t value, std::int64_t least, const std::string& pointer, PlatformErrors& errors) {
  if (value >= least) return true;
  errors.push_back({pointer, fmt::format("must be at least {}, not {}", least, value)});
  return false;
}

bool check_size(std::int64_t links, const std::string& pointer, PlatformErrors& errors) {
  if (links <= max_links) return true;
  errors.push_back({pointer, fmt::format("too large: at most {} links are possible", max_links)});
  return false;
}

bool check_places(std::int64_t places, std::string_view what, const NodeCount& nodes, const std::string& pointer,
                  PlatformErrors& errors) {
  if (nodes.total() <= places) return true;
  errors.push_back(
      {pointer, fmt::format("the platform needs {}, but the {} has only {} places", nodes.text(), what, places)});
  return false;
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t bound = std::int64_t{1} << 40;
  if (a == 0 || b == 0) return 0;
  return a > bound / b ? bound : a * b;
}

} // namespace gradflight
