#include "sim/engine/nic_links.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

NicLinks::NicLinks(const Scenario& scenario, const Platform& platform, std::size_t first) : first_(first) {
  const auto in_nic = [](const Phase& phase) { return phase.training.compression.in_nic(); };
  if (std::none_of(scenario.phases.begin(), scenario.phases.end(), in_nic)) return;
  const int nodes = platform.places().back().node + 1;
  const double capacity = scenario.platform.nic.value_or(NicSpec{}).dense_capacity().value();
  stages_.reserve(static_cast<std::size_t>(nodes) * nic_stages);
  for (int node = 0; node < nodes; ++node)
    for (const char* stage : {"compressor.in", "compressor.out", "decompressor.in", "decompressor.out"})
      stages_.push_back({fmt::format("node{}.nic.{}", node, stage), capacity, 0});
}

void NicLinks::lay(Message& m, const Weight& weight, int from_node, int to_node) const {
  for (std::size_t s = 0; s < nic_stages; ++s) {
    if (weight.stages[s] <= 0) continue;
    const bool sender = s < static_cast<std::size_t>(NicStage::receiver_input);
    const auto node = static_cast<std::size_t>(sender ? from_node : to_node);
    m.shares.push_back({static_cast<std::int32_t>(first_ + node * nic_stages + s), weight.stages[s]});
  }
}

} // namespace gradflight
