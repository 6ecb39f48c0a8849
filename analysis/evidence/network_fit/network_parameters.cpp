#include "analysis/evidence/network_fit/network_parameters.hpp"

#include "base/human.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {

constexpr double least_latency = 1e-9, most_latency = 1e-2;
constexpr double rate_range = 100; ///< largest factor below or above the platform's value

NetworkParameter latency_of(std::string name, const std::string& path, double start) {
  return {std::move(name), {path}, Dimension::time, start, least_latency, std::max(most_latency, 10 * start)};
}

NetworkParameter rate_of(std::string name, std::vector<std::string> paths, double start, double upper) {
  return {std::move(name), std::move(paths), Dimension::byte_rate, start, start / rate_range, upper};
}

/// Returns two digits beyond the first of the uncertainty; all digits if it is unknown (0).
int digits_of(double value, double uncertainty) {
  constexpr int most_digits = 8, least_digits = 3;
  if (!(uncertainty > 0) || !(value > 0)) return most_digits;
  return static_cast<int>(
      std::clamp(std::ceil(std::log10(value / uncertainty)) + 2, double{least_digits}, double{most_digits}));
}

double seconds_of(const std::optional<Seconds>& latency) { return latency.value_or(Seconds{}).value(); }

NetworkParameter rate_of_nic(const NodeSpec& node, bool both_ways) {
  const double port = node.nic.bandwidth.value();
  const double attained = std::min(both_ways ? node.nic_total.value_or(node.nic.bandwidth * 2.0).value() / 2
                                             : node.nic.egress.value_or(node.nic.bandwidth).value(),
                                   port);
  if (both_ways) {
    auto rate = rate_of("rate of a NIC, both directions together", {"platform.node.nic_total_bandwidth"}, 2 * attained,
                        2 * port);
    rate.lower = 2 * port / rate_range;
    return rate;
  }
  auto rate = rate_of("rate of a NIC", {"platform.node.nic.egress_bandwidth", "platform.node.nic.ingress_bandwidth"},
                      attained, port);
  rate.lower = port / rate_range;
  return rate;
}

std::vector<NetworkParameter> between(const PlatformSpec& platform, bool both_ways) {
  if (platform.node)
    return {latency_of("latency of a NIC's cable", "platform.node.nic.latency", seconds_of(platform.node->nic.latency)),
            rate_of_nic(*platform.node, both_ways)};
  const LinkSpec& link = platform.network.link;
  const double rate = link.bandwidth.value();
  if (!(rate > 0)) return {}; // graphs: their cables are those of their edges
  return {latency_of("latency of a cable", "platform.network.link.latency", seconds_of(link.latency)),
          rate_of("rate of a cable", {"platform.network.link.bandwidth"}, rate, rate * rate_range)};
}

std::vector<NetworkParameter> inside(const PlatformSpec& platform) {
  if (platform.node) {
    const NodeSpec& node = *platform.node;
    const bool pcie = node.intra == NodeFabric::pcie;
    const NodeLink& link = pcie ? node.pcie : node.link;
    const std::string path = pcie ? "platform.node.pcie" : "platform.node.link";
    const double links = node.intra == NodeFabric::nvswitch ? node.gpu.links : 1;
    const double payload = pcie ? node.gpu.to_host().value() : node.gpu.link_payload().value() * links;
    const double rate = link.bandwidth ? link.bandwidth->value() : payload;
    if (!(rate > 0)) return {};
    return {latency_of(pcie ? "latency of PCIe" : "latency of a GPU's link", path + ".latency", link.latency.value()),
            rate_of(pcie ? "rate of PCIe" : "rate of a GPU's link", {path + ".bandwidth"}, rate, rate * rate_range)};
  }
  const LinkSpec& link = platform.intra_node.link;
  if (platform.intra_node.kind == IntraKind::none) return {};
  return {latency_of("latency inside a node", "platform.intra_node.link.latency", seconds_of(link.latency)),
          rate_of("rate inside a node", {"platform.intra_node.link.bandwidth"}, link.bandwidth.value(),
                  link.bandwidth.value() * rate_range)};
}

} // namespace

std::string NetworkParameter::text(double value, double uncertainty) const {
  const int digits = digits_of(value, std::isfinite(uncertainty) ? uncertainty : 0);
  return dimension == Dimension::time ? fmt::format("{:.{}g}us", value * 1e6, digits)
                                      : fmt::format("{:.{}g}GB/s", value * 1e-9, digits);
}

std::string NetworkParameter::shown(double value, double uncertainty) const {
  const double rounded = rounded_to(value, digits_of(value, uncertainty));
  return dimension == Dimension::time ? human_seconds(rounded) : human_byte_rate(rounded);
}

std::vector<std::string> NetworkParameter::assignments(const std::string& text) const {
  std::vector<std::string> all;
  for (const std::string& path : paths) all.push_back(path + "=" + text);
  return all;
}

std::vector<NetworkParameter> network_parameters(const PlatformSpec& platform, bool between_nodes, bool both_ways) {
  return between_nodes ? between(platform, both_ways) : inside(platform);
}

} // namespace gradflight
