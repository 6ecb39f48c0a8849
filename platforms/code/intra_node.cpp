#include "platforms/code/intra_node.hpp"

#include <fmt/format.h>

namespace gradflight {

IntraNode IntraNode::make(const IntraNodeSpec& spec, int nodes, int gpus, LinkTable& links, PlatformErrors& errors) {
  IntraNode intra;
  if (spec.kind == IntraKind::none) return intra;
  const auto before = errors.size();
  const bool pcie = spec.kind == IntraKind::pcie;
  check_link(spec.link, "/intra_node/link", pcie ? Ends::up_down : Ends::equal, errors);
  if (spec.uplink) check_link(*spec.uplink, "/intra_node/uplink", Ends::up_down, errors);
  if (pcie) check_count(spec.gpus_per_switch, 0, "/intra_node/gpus_per_switch", errors);
  const int per_switch = spec.gpus_per_switch > 0 ? spec.gpus_per_switch : gpus;
  const int switches = pcie ? (gpus - 1) / per_switch + 1 : 0;
  const std::int64_t pairs = pcie ? 0 : times(gpus, gpus - 1);
  const std::int64_t per_node = pairs + (pcie || spec.uplink ? 2 * std::int64_t{gpus} : 0) + 2 * std::int64_t{switches};
  check_size(times(nodes, per_node) + links.next(), "/intra_node", errors);
  if (errors.size() != before) return intra;

  intra.kind_ = spec.kind;
  intra.gpus_ = gpus;
  intra.per_switch_ = per_switch;
  intra.gpu_to_nic_ = pcie || spec.uplink;
  intra.first_ = links.next();
  intra.per_node_ = static_cast<int>(per_node);
  intra.gpu_ways_ = static_cast<int>(pairs);
  links.links.reserve(links.links.size() + static_cast<std::size_t>(times(nodes, per_node)));
  const LinkSpec uplink = cable_instead_of(spec.link, spec.uplink);
  for (int n = 0; n < nodes; ++n) {
    for (int a = 0; !pcie && a < gpus; ++a)
      for (int b = 0; b < gpus; ++b)
        if (a != b)
          links.add(fmt::format("node{}.nvlink{}-{}", n, a, b), spec.link.bandwidth, spec.link.latency,
                    {.tier = LinkTier::gpu_link, .type = LinkType::gpu_pair, .owner = n});
    for (int g = 0; intra.gpu_to_nic_ && g < gpus; ++g)
      links.cable(fmt::format("node{}.gpu{}.up", n, g), fmt::format("node{}.gpu{}.down", n, g),
                  pcie ? spec.link : uplink, {.tier = LinkTier::pcie, .type = LinkType::gpu_pcie, .owner = n});
    for (int s = 0; s < switches; ++s)
      links.cable(fmt::format("node{}.pcie{}.up", n, s), fmt::format("node{}.pcie{}.down", n, s), uplink,
                  {.tier = LinkTier::pcie, .type = LinkType::switch_pcie, .owner = n});
  }
  return intra;
}

void IntraNode::to_nic(int node, int gpu, Route& out) const {
  if (gpu_to_nic_) out.push_back(gpu_up(node, gpu));
  if (kind_ == IntraKind::pcie) out.push_back(switch_up(node, gpu));
}

void IntraNode::from_nic(int node, int gpu, Route& out) const {
  if (kind_ == IntraKind::pcie) out.push_back(switch_up(node, gpu) + 1);
  if (gpu_to_nic_) out.push_back(gpu_up(node, gpu) + 1);
}

void IntraNode::across(int node, int from, int to, Route& out) const {
  if (kind_ == IntraKind::nvlink) {
    out.push_back(base(node) + from * (gpus_ - 1) + (to < from ? to : to - 1));
  } else if (kind_ == IntraKind::pcie) {
    out.push_back(gpu_up(node, from));
    if (from / per_switch_ != to / per_switch_) {
      out.push_back(switch_up(node, from));
      out.push_back(switch_up(node, to) + 1);
    }
    out.push_back(gpu_up(node, to) + 1);
  }
}

} // namespace gradflight
