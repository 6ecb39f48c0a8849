#include "sim/engine/network/nic_links.hpp"

#include <fmt/format.h>
#include <utility>

namespace gradflight {

NicLinks::NicLinks(const PlatformSpec& spec, const Platform& platform, bool used) : first_(platform.links().size()) {
  if (!used) return;
  const int nodes = platform.nodes();
  const double capacity = spec.nic.value_or(NicSpec{}).dense_capacity().value();
  stages_.reserve(static_cast<std::size_t>(nodes) * nic_stages);
  for (int node = 0; node < nodes; ++node)
    for (const auto& [type, stage] :
         {std::pair(LinkType::compressor, "compressor.in"), std::pair(LinkType::compressor, "compressor.out"),
          std::pair(LinkType::decompressor, "decompressor.in"), std::pair(LinkType::decompressor, "decompressor.out")})
      stages_.push_back({fmt::format("node{}.nic.{}", node, stage),
                         capacity,
                         0,
                         0,
                         {.tier = LinkTier::codec, .type = type, .owner = node}});
}

void NicLinks::lay(const Weight& weight, int from_node, int to_node, std::vector<LinkShare>& shares) const {
  for (std::size_t s = 0; s < nic_stages; ++s) {
    if (weight.stages[s] <= 0) continue;
    const bool sender = s < static_cast<std::size_t>(NicStage::receiver_input);
    const auto node = static_cast<std::size_t>(sender ? from_node : to_node);
    shares.push_back({static_cast<std::int32_t>(first_ + node * nic_stages + s), weight.stages[s]});
  }
}

} // namespace gradflight
