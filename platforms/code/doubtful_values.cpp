#include "platforms/code/doubtful_values.hpp"

#include "base/human.hpp"
#include "platforms/code/spec/spec.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

using Texts = std::vector<std::string>;

constexpr Seconds long_latency{1};
constexpr ByteRate slow_nic{1e8 / 8}; ///< 100 Mbps, below all networks of GPU clusters
constexpr double nic_over_pcie = 2;   ///< above any NIC of today in any slot that it fits

void check_latency(const LinkSpec& link, const char* key, Texts& found) {
  if (!link.latency || *link.latency < long_latency) return;
  found.push_back(
      fmt::format("a message is on a cable for {}; check {}.latency", human_seconds(link.latency->value()), key));
}

void check_nic(const NodeSpec& node, Texts& found) {
  const double cable = node.nic.bandwidth.value();
  const double pcie = node.pcie.bandwidth.value_or(node.gpu.to_host()).value();
  const std::string has = fmt::format("a NIC's cable has {} ({})", human_rate(cable), human_byte_rate(cable));
  constexpr const char* units = "bits (Gbps) or bytes (GB/s)";
  if (cable >= nic_over_pcie * pcie)
    found.push_back(fmt::format("{}, but its PCIe link only {}; check the units of platform.node.nic and "
                                "platform.node.pcie, {}",
                                has, human_byte_rate(pcie), units));
  else if (node.nic.bandwidth < slow_nic)
    found.push_back(fmt::format("{}; check the unit of platform.node.nic.bandwidth, {}", has, units));
}

/// A mesh gives each pair equally many links. What is left over carries nothing.
void check_mesh(const NodeSpec& node, Texts& found) {
  if (!node.mesh() || !node.pairs.empty() || node.gpus < 2) return;
  int used = 0;
  for (const GpuPair& pair : mesh_pairs(node))
    if (pair.a == 0 || pair.b == 0) used += pair.links;
  if (used < node.gpu.links)
    found.push_back(
        fmt::format("the mesh uses only {} of the {} links of a GPU; check platform.node.intra", used, node.gpu.links));
}

} // namespace

std::vector<std::string> doubtful_values(const PlatformSpec& platform) {
  Texts found;
  if (!platform.node) {
    check_latency(platform.network.link, "platform.network.link", found);
    return found;
  }
  check_latency(platform.node->nic, "platform.node.nic", found);
  check_nic(*platform.node, found);
  check_mesh(*platform.node, found);
  return found;
}

} // namespace gradflight
