#include "port_model.hpp"

#include <fmt/format.h>
#include <regex>

namespace gradflight::test {
namespace {
std::string text(const std::string& kind, int a) { return fmt::format("{}{}", kind, a); }
std::string text(const std::string& kind, int a, int b) { return fmt::format("{}{}.{}", kind, a, b); }
} // namespace

PortModel::PortModel(const PlatformSpec& spec) : spec_(spec) {
  // Counts out the round robin: each group assigns its global cables to its routers in turn.
  const auto& fly = spec.network.dragonfly;
  std::map<std::string, std::string> attached;
  for (int g = 0; g < fly.groups; ++g) {
    int next = 0;
    for (int h = 0; h < fly.groups; ++h)
      for (int c = 0; h != g && c < fly.global_cables; ++c) {
        attached[fmt::format("group{}-{}.cable{}", g, h, c)] = text("router", g, next);
        next = next + 1 == fly.routers ? 0 : next + 1;
      }
  }
  for (const auto& [name, router] : attached) {
    static const std::regex pattern("group(\\d+)-(\\d+)(\\.cable\\d+)");
    std::smatch m;
    std::regex_match(name, m, pattern);
    globals_[name] = {router, attached.at(fmt::format("group{}-{}{}", m[2].str(), m[1].str(), m[3].str()))};
  }
}

std::string PortModel::above_node(int node) const {
  const auto& net = spec_.network;
  switch (net.topology) {
  case Topology::racks: return text("rack", node / net.racks.nodes_per_rack);
  case Topology::torus: return text("router", node);
  case Topology::dragonfly:
    return text("router", node / net.dragonfly.nodes / net.dragonfly.routers,
                node / net.dragonfly.nodes % net.dragonfly.routers);
  default: return "switch";
  }
}

std::pair<std::string, std::string> PortModel::upward(const std::string& child, int port) const {
  // A switch's number is group * replicas + replica; go up one level.
  const auto& levels = spec_.network.fat_tree;
  static const std::regex pattern("node(\\d+)|sw(\\d+)-(\\d+)");
  std::smatch m;
  std::regex_match(child, m, pattern);
  const std::size_t level = m[1].matched ? 0 : std::stoul(m[2].str());
  const int number = std::stoi(m[1].matched ? m[1].str() : m[3].str());
  int replicas = 1;
  for (std::size_t l = 0; l < level; ++l) replicas *= levels[l].up;
  const int group = number / replicas / levels[level].down;
  const int replica = number % replicas + replicas * (port % levels[level].up);
  const std::string parent = fmt::format("sw{}-{}", level + 1, group * replicas * levels[level].up + replica);
  return {level == 0 ? text("nic", number) : child, parent};
}

std::pair<std::string, std::string> PortModel::ends(const std::string& link) const {
  static const std::regex gpu("node(\\d+)\\.gpu(\\d+)\\.(up|down)"), pcie("node(\\d+)\\.pcie(\\d+)\\.(up|down)"),
      nvlink("node(\\d+)\\.nvlink(\\d+)-(\\d+)"), nic("node(\\d+)\\.(up|down)(\\d*)"), rack("(rack\\d+)\\.(up|down)"),
      fat("(sw\\d+-\\d+)\\.(up|down)(\\d*)"), router("router(\\d+)\\.dim(\\d+)([+-])"),
      local("group(\\d+)\\.router(\\d+)-(\\d+)"), edge("(.+)->([^#]+)(#\\d+)?");
  std::smatch m;
  const auto directed = [](std::pair<std::string, std::string> up, const std::string& way) {
    return way == "up" ? up : std::pair{up.second, up.first};
  };
  const auto number = [&](std::size_t i) { return m[i].str().empty() ? 0 : std::stoi(m[i].str()); };
  if (const auto global = globals_.find(link); global != globals_.end()) return global->second;
  if (std::regex_match(link, m, gpu)) {
    const bool has_switch = spec_.intra_node.kind == IntraKind::pcie;
    const int per_switch =
        spec_.intra_node.gpus_per_switch > 0 ? spec_.intra_node.gpus_per_switch : spec_.gpus_per_node;
    return directed({text("gpu", number(1), number(2)),
                     has_switch ? text("pcie", number(1), number(2) / per_switch) : text("nic", number(1))},
                    m[3]);
  }
  if (std::regex_match(link, m, pcie))
    return directed({text("pcie", number(1), number(2)), text("nic", number(1))}, m[3]);
  if (std::regex_match(link, m, nvlink)) return {text("gpu", number(1), number(2)), text("gpu", number(1), number(3))};
  if (std::regex_match(link, m, nic) && spec_.network.topology != Topology::fat_tree)
    return directed({text("nic", number(1)), above_node(number(1))}, m[2]);
  if (std::regex_match(link, m, nic)) return directed(upward(text("node", number(1)), number(3)), m[2]);
  if (std::regex_match(link, m, fat)) return directed(upward(m[1], number(3)), m[2]);
  if (std::regex_match(link, m, rack)) return directed({m[1], "core"}, m[2]);
  if (std::regex_match(link, m, local))
    return {text("router", number(1), number(2)), text("router", number(1), number(3))};
  if (std::regex_match(link, m, router)) {
    int stride = 1;
    for (int d = 0; d < number(2); ++d) stride *= spec_.network.torus[static_cast<std::size_t>(d)];
    const int size = spec_.network.torus[static_cast<std::size_t>(number(2))];
    const int here = number(1) / stride % size, there = (here + (m[3] == "+" ? 1 : size - 1)) % size;
    return {text("router", number(1)), text("router", number(1) + (there - here) * stride)};
  }
  if (std::regex_match(link, m, edge)) {
    const auto vertex = [](const std::string& end) {
      return end.find_first_not_of("0123456789") == std::string::npos ? text("nic", std::stoi(end)) : end;
    };
    return {vertex(m[1]), vertex(m[2])};
  }
  return {"?", "?"};
}

std::string PortModel::port(const Place& place, bool leaves_node) const {
  const auto& intra = spec_.intra_node;
  const bool on_nic = place.gpu < 0 || intra.kind == IntraKind::none ||
                      (intra.kind == IntraKind::nvlink && !intra.uplink && leaves_node);
  return on_nic ? text("nic", place.node) : text("gpu", place.node, place.gpu);
}

} // namespace gradflight::test
