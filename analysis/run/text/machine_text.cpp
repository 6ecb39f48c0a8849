#include "analysis/run/text/machine_text.hpp"

#include "base/human.hpp"
#include "base/letters.hpp"
#include "platforms/code/describe.hpp"
#include "platforms/code/node_shape.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/decode/file_form.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace gradflight {
namespace {

const char* fabric_name(NodeFabric fabric) {
  switch (fabric) {
  case NodeFabric::nvswitch: return "NVSwitch";
  case NodeFabric::nvlink_mesh: return "an NVLink mesh";
  case NodeFabric::cube_mesh: return "an NVLink cube mesh";
  case NodeFabric::xgmi_mesh: return "an xGMI mesh";
  case NodeFabric::pcie: return "PCIe";
  }
  return "";
}

std::string gpu_name(const NodeSpec& node) { return node.gpu.name.empty() ? "GPUs" : node.gpu.name; }

/// Returns "GPU 0, 1" or "NIC 3"; empty without members.
std::string members(const char* what, const std::vector<int>& numbers) {
  return numbers.empty() ? "" : fmt::format("   {} {}", what, fmt::join(numbers, ", "));
}

std::vector<int> seated(const std::vector<Seat>& seats, const Seat& wanted) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < seats.size(); ++i)
    if (seats[i].pcie_switch == wanted.pcie_switch && seats[i].socket == wanted.socket)
      numbers.push_back(static_cast<int>(i));
  return numbers;
}

/// Returns sockets, their PCIe switches, and the devices on each.
std::string host_text(const NodeSpec& node) {
  const auto gpus = gpu_seats(node), nics = nic_seats(node);
  const auto line = [&](const Seat& seat) {
    return members("GPU", seated(gpus, seat)) + members("NIC", seated(nics, seat));
  };
  std::string text;
  for (int socket = 0; socket < node.sockets; ++socket) {
    text += fmt::format("  socket {}{}\n", socket, line({-1, socket}));
    for (int s = 0; s < node.switches(); ++s)
      if (at_switch(node, s).socket == socket) text += fmt::format("    PCIe switch {}{}\n", s, line({s, socket}));
  }
  return text;
}

/// Returns which GPUs are connected, and by how many links.
std::string joined_text(const NodeSpec& node) {
  const double one = node.link.bandwidth.value_or(node.gpu.link_payload()).value();
  if (node.intra == NodeFabric::nvswitch) {
    const double rate = node.link.bandwidth.value_or(node.gpu.link_payload() * node.gpu.links).value();
    return fmt::format("  NVSwitch: {} links of each GPU, {} in each direction{}\n", node.gpu.links,
                       human_byte_rate(rate), node.nvls ? "; it reduces and multicasts (NVLS)" : "");
  }
  const auto pairs = mesh_pairs(node);
  if (pairs.empty()) return node.gpus > 1 ? "  GPUs reach each other over PCIe\n" : "";
  std::string text = fmt::format("  GPU - GPU, links of {} in each direction:\n       ", human_byte_rate(one));
  for (int b = 0; b < node.gpus; ++b) text += fmt::format(" {:>3}", b);
  for (int a = 0; a < node.gpus; ++a) {
    text += fmt::format("\n    {:>3}", a);
    for (int b = 0; b < node.gpus; ++b) {
      const auto pair = std::ranges::find_if(
          pairs, [&](const GpuPair& p) { return std::minmax(p.a, p.b) == std::minmax(a, b) && a != b; });
      text += fmt::format(" {:>3}", a == b ? "." : pair == pairs.end() ? "-" : std::to_string(pair->links));
    }
  }
  return text + "\n";
}

/// Returns "GPUs 0, 1 use NIC 0".
std::string near_text(const NodeSpec& node) {
  const auto near = nics_of_gpus(node);
  bool own = node.nics == node.gpus;
  for (std::size_t g = 0; own && g < near.size(); ++g) own = near[g] == std::vector{static_cast<int>(g)};
  if (own && node.gpus > 1) return "  near: GPU k uses NIC k\n";
  std::string text = "  near:";
  for (std::size_t first = 0; first < near.size();) {
    std::size_t end = first;
    while (end < near.size() && near[end] == near[first]) ++end;
    text += fmt::format("{} GPU {} NIC {}", first == 0 ? "" : ",",
                        end - first == 1 ? std::to_string(first) : fmt::format("{}-{}", first, end - 1),
                        fmt::join(near[first], "+"));
    first = end;
  }
  return text + "\n";
}

/// Returns the source for the properties of links of a type.
std::string source_of(const PlatformSpec& platform, LinkType type) {
  if (!platform.node) return platform.source;
  const NodeSpec& node = *platform.node;
  const auto or_node = [&](const std::string& source) { return source.empty() ? node.source : source; };
  switch (type) {
  case LinkType::cable:
  case LinkType::nic_total: return or_node(node.nic_source);
  case LinkType::gpu_pair:
  case LinkType::gpu_port: return or_node(node.link.source);
  case LinkType::memory: return or_node(node.host_memory.source);
  case LinkType::sockets: return or_node(node.socket_link ? node.socket_link->source : "");
  case LinkType::switch_pcie: return or_node(node.switch_uplink ? node.switch_uplink->source : node.pcie.source);
  case LinkType::gpu_pcie: return or_node(node.pcie.source);
  default: return "the network's description";
  }
}

std::string span(double least, double most, std::string (*text)(double)) {
  return least == most ? text(least) : text(least) + " to " + text(most);
}

std::string links_text(const PlatformSpec& spec, const Platform& platform) {
  std::string text = "links in one direction (the other direction is equal):\n";
  for (const LinkKind& kind : link_kinds(platform)) {
    if (kind.role.way == LinkWay::down) continue;
    text += fmt::format("  {:>5} {:<22} {:<22} {:<10} {}\n", kind.count, kind.name,
                        span(kind.least_bandwidth, kind.most_bandwidth, human_byte_rate),
                        span(kind.least_latency, kind.most_latency, human_seconds), source_of(spec, kind.role.type));
  }
  return text;
}

std::string model_line(const Workload& model) {
  std::int64_t tensors = 0;
  for (const Layer& layer : model.layers) tensors += std::ssize(layer.tensors);
  return fmt::format("{}, {}, {} parameters", counted(std::ssize(model.layers), "layer"), counted(tensors, "tensor"),
                     human_count(static_cast<double>(model.elements())));
}

/// Returns a line about a machine of the catalogue.
std::string machine_line(const std::string& name) {
  const PlatformSpec machine = load_platform(name);
  return machine.node ? node_line(*machine.node) : machine.name;
}

} // namespace

std::string node_line(const NodeSpec& node) {
  std::string text = node.gpu.name.empty() ? counted(node.gpus, "GPU") : fmt::format("{} {}", node.gpus, node.gpu.name);
  if (node.gpus > 1) text += fmt::format(" by {}", fabric_name(node.intra));
  text += fmt::format(", {} of {}", counted(node.nics, "NIC"), human_rate(node.nic.bandwidth.value()));
  if (node.rails) text += " on rails";
  if (!node.gpudirect) text += ", without GPUDirect";
  return text;
}

std::string machine_text(const PlatformSpec& spec) {
  std::string text = spec.name.empty() ? "a platform without a name\n" : spec.name + "\n";
  if (!spec.source.empty()) text += "  source: " + spec.source + "\n";
  if (const auto& node = spec.node) {
    text += "\na node: " + node_line(*node) + "\n" + host_text(*node) + joined_text(*node) + near_text(*node);
    if (!node->gpudirect) text += "  NICs reach GPUs through host memory\n";
    if (node->sharp) text += "  the network's switch reduces (SHARP)\n";
    if (!node->gpu.source.empty()) text += fmt::format("  {}: {}\n", gpu_name(*node), node->gpu.source);
  }
  return text + "\n" + counted(spec.nodes, "node") + ", " + links_text(spec, build_platform(spec, 0));
}

constexpr std::string_view model_key = "workload.model", machine_key = "platform.machine";

std::string catalogue_list(const std::string& path) {
  const auto list = [](const char* title, const std::vector<std::string>& names, const auto& line) {
    std::string text = fmt::format("\n{}:\n", title);
    for (const std::string& name : names) text += fmt::format("  {:<20} {}\n", name, line(name));
    return names.empty() ? text + "  (none found: the catalogue is not beside the program)\n" : text;
  };
  if (path == "platform" || path == machine_key)
    return list("Machines (gradflight explain platform NAME draws one)", machine_names(), machine_line);
  if (path != "workload" && path != model_key) return {};
  return list("Models", catalogue_names(workload_file().table()->catalogue_folders),
              [](const std::string& name) { return model_line(load_workload(name)); });
}

std::string catalogue_search(const std::string& word) {
  const std::vector<std::string>& model_folders = workload_file().table()->catalogue_folders;
  std::string text;
  const auto look = [&](std::string_view key, const std::vector<std::string>& names, const auto& line) {
    const std::string meant = catalogued_name(word, names), part = common_spelling(word);
    for (const std::string& name : names)
      if (name == meant || common_spelling(name).find(part) != std::string::npos)
        text += fmt::format("  {}={}\n      {}\n", key, name, line(name));
  };
  look(model_key, catalogue_names(model_folders),
       [&](const std::string& name) { return model_line(load_workload(name)); });
  look(machine_key, machine_names(), machine_line);
  return text;
}

std::string catalogue_entry(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return {};
  const std::string key = assignment.substr(0, equals), name = assignment.substr(equals + 1);
  if (key == machine_key) return machine_text(load_platform(name));
  if (key != model_key) return {};
  const Workload model = load_workload(name);
  return fmt::format("{}\n  {}\n  source: {}\n", model.name, model_line(model), model.source);
}

std::vector<std::string> catalogued_names() {
  std::vector<std::string> names = machine_names();
  const auto models = catalogue_names(workload_file().table()->catalogue_folders);
  names.insert(names.end(), models.begin(), models.end());
  return names;
}

} // namespace gradflight
