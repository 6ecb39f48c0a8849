// Reads topology files of NCCL and RCCL (XML).
#include "scenarios/language/import/topology.hpp"
#include "scenarios/language/import/xml.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace gradflight {
namespace {

template <class Visit> void visit_all(const XmlElement& element, const Visit& visit) {
  visit(element);
  for (const auto& child : element.children) visit_all(*child, visit);
}

bool is_bridge(const XmlElement& element) {
  return element.name == "pci" && element.text("class").starts_with("0x0604");
}

/// Returns the innermost PCIe switch above an element; null if the element is attached to its socket.
const XmlElement* switch_of(const XmlElement& element) {
  for (const XmlElement* up = element.parent; up != nullptr; up = up->parent)
    if (is_bridge(*up)) return up;
  return nullptr;
}

const XmlElement* enclosing(const XmlElement& element, const char* name) {
  const XmlElement* up = &element;
  while (up != nullptr && up->name != name) up = up->parent;
  return up;
}

/// Returns an element's number in a list; -1: it is not there.
int number_in(const std::vector<const XmlElement*>& list, const XmlElement* wanted) {
  const auto found = std::ranges::find(list, wanted);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

std::string bus_of(const XmlElement& gpu) {
  const XmlElement* pci = enclosing(gpu, "pci");
  return pci != nullptr ? pci->text("busid") : std::string();
}

GpuGeneration generation_of(const XmlElement& gpu, std::vector<std::string>& notes) {
  using enum GpuGeneration;
  const std::string gcn = gpu.text("gcn");
  if (!gcn.empty()) return gcn.find("90a") != std::string::npos || gcn.find("910") != std::string::npos ? cdna2 : cdna3;
  const int sm = gpu.number("sm", 0);
  if (sm == 0)
    notes.emplace_back("The file does not say the GPUs' generation (sm): ampere is assumed.");
  else if (sm == 75 || sm == 89)
    notes.push_back(fmt::format("NCCL's tables have no entry for GPUs of sm {}; {} is assumed.", sm,
                                sm == 75 ? "volta" : "ampere"));
  if (sm == 0) return ampere;
  return sm < 60 ? kepler : sm < 70 ? pascal : sm < 80 ? volta : sm < 90 ? ampere : sm < 100 ? hopper : blackwell;
}

/// "32.0 GT/s PCIe" is generation 5.
int pcie_generation(const std::string& speed) {
  double gigatransfers = 0;
  std::from_chars(speed.data(), speed.data() + speed.size(), gigatransfers);
  int generation = 0;
  for (const double least : {2.4, 4.9, 7.9, 15.9, 31.9, 63.9})
    if (gigatransfers >= least) ++generation;
  return generation;
}

/// Returns bytes per second between processors, as NCCL 2.24 defines them (graph/topo.h and ncclTopoGetInterCpuBw).
double between_sockets(const XmlElement& cpu, CpuVendor vendor) {
  switch (vendor) {
  case CpuVendor::amd: return 16e9;
  case CpuVendor::arm: return 6e9;
  case CpuVendor::power: return 32e9;
  case CpuVendor::intel: break;
  }
  // Emerald Rapids, Sapphire Rapids, Skylake. NCCL treats older and unknown processors as Broadwell.
  constexpr int emerald_rapids = 0xCF, sapphire_rapids = 0x8F, skylake = 0x55;
  const int model = cpu.number("familyid", 0) == 6 ? cpu.number("modelid", 0) : 0;
  return model >= emerald_rapids ? 40e9 : model >= sapphire_rapids ? 22e9 : model >= skylake ? 10e9 : 6e9;
}

class Dump {
public:
  Dump(const XmlElement& root, std::string path) : path_(std::move(path)) {
    visit_all(root, [&](const XmlElement& element) {
      if (element.name == "gpu") gpus_.push_back(&element);
      if (element.name == "cpu") cpus_.push_back(&element);
      if (element.name == "net") nets_.push_back(&element);
    });
    std::ranges::stable_sort(gpus_, {}, [](const XmlElement* gpu) { return gpu->number("dev", 0); });
    std::ranges::stable_sort(nets_, {}, [](const XmlElement* net) { return net->number("dev", 0); });
    leave_out_nics_without_speed();
  }

  ImportedTopology take() {
    if (gpus_.empty() || gpus_.size() > static_cast<std::size_t>(NodeSpec::max_gpus))
      throw InputErrors({{path_, 0, 0, "",
                          fmt::format("the file lists {} GPUs; expected 1 to {}", gpus_.size(), NodeSpec::max_gpus)}});
    std::set<std::string> hosts;
    for (const XmlElement* cpu : cpus_) hosts.insert(cpu->text("host_hash"));
    if (hosts.size() > 1)
      throw InputErrors({{path_, 0, 0, "",
                          fmt::format("the file describes {} hosts joined by NVLink (host_hash), but a node is one "
                                      "host; give the dump of a job on one host",
                                      hosts.size())}});
    node_.gpus = static_cast<int>(gpus_.size());
    processors();
    links();
    switches();
    std::vector<int> sockets;
    for (const XmlElement* gpu : gpus_) sockets.push_back(number_in(cpus_, enclosing(*gpu, "cpu")));
    seat_gpus(node_, std::move(sockets), notes_);
    ImportedTopology result;
    result.listed_nics = static_cast<int>(nets_.size());
    nics();
    node_.source = "NCCL's topology file; latencies: general knowledge";
    result.platform.name = imported_platform_name;
    result.platform.nodes = 1;
    result.platform.gpus_per_node = node_.gpus;
    result.platform.node = std::move(node_);
    result.notes = std::move(notes_);
    result.notes.emplace_back("The file has no latencies; typical ones are assumed: 0.25us per GPU link, 0.3us per "
                              "PCIe link and 0.6us per NIC cable.");
    result.notes.emplace_back(
        "The file does not describe the network: one node on a star is assumed; set nodes, network and rails.");
    return result;
  }

private:
  /// If no NIC has a speed, all of them count with NCCL's default.
  void leave_out_nics_without_speed() {
    std::vector<const XmlElement*> with_speed;
    std::string names;
    for (const XmlElement* net : nets_) {
      if (net->number("speed", 0) > 0) with_speed.push_back(net);
      // Entries without the attribute are virtual NICs (merged ports), and devices of plugins.
      else if (!net->text("speed").empty())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", net->text("name"));
    }
    const bool none = with_speed.empty();
    if (nets_.empty()) return;
    if (none)
      notes_.push_back(fmt::format("The file gives no speed for {}: 10 Gbit/s is assumed, as in NCCL; set node.nic.",
                                   names.empty() ? "its NICs" : names));
    else if (!names.empty())
      notes_.push_back(
          fmt::format("NICs without a known speed are left out: {}. NCCL counts 10 Gbit/s for each; if they "
                      "are in use, set node.nics.",
                      names));
    if (!none) nets_ = std::move(with_speed);
  }
  /// Returns the rate in Mbit/s as NCCL counts it (ncclTopoAddNet in graph/topo.cc).
  static int speed_of(const XmlElement& net) {
    constexpr int unknown = 10000;
    const int speed = net.number("speed", 0);
    return speed > 0 ? speed : unknown;
  }

  /// NUMA nodes without GPUs and NICs do not count.
  void processors() {
    const auto is_idle = [this](const XmlElement* cpu) {
      const auto there = [cpu](const XmlElement* device) { return enclosing(*device, "cpu") == cpu; };
      return std::ranges::none_of(gpus_, there) && std::ranges::none_of(nets_, there);
    };
    if (const auto idle = std::ranges::count_if(cpus_, is_idle); idle > 0 && idle < std::ssize(cpus_)) {
      notes_.push_back(fmt::format("{} of {} NUMA nodes {} left out: no GPU or NIC is there.", idle, cpus_.size(),
                                   idle == 1 ? "is" : "are"));
      std::erase_if(cpus_, is_idle);
    }
    node_.sockets = std::max(1, static_cast<int>(cpus_.size()));
    if (cpus_.empty()) return;
    const std::string vendor = cpus_.front()->text("vendor"), arch = cpus_.front()->text("arch");
    node_.cpu = vendor.find("AMD") != std::string::npos ? CpuVendor::amd
                : arch == "arm64"                       ? CpuVendor::arm
                : arch == "ppc64"                       ? CpuVendor::power
                                                        : CpuVendor::intel;
    node_.pcie.latency = Seconds(0.3e-6);
    if (node_.sockets < 2) return;
    const double rate = between_sockets(*cpus_.front(), node_.cpu);
    node_.socket_link =
        NodeLink{ByteRate(rate), Seconds(0.3e-6), "NCCL's figure for such processors; latency: general knowledge"};
    notes_.push_back(
        fmt::format("The file does not describe the link between its {} NUMA nodes: NCCL's {:.0f} GB/s is assumed.",
                    node_.sockets, rate / 1e9));
  }

  void links() {
    std::map<std::string, int> by_bus;
    for (std::size_t i = 0; i < gpus_.size(); ++i) by_bus[bus_of(*gpus_[i])] = static_cast<int>(i);
    std::map<std::pair<int, int>, std::array<int, 2>> pairs; // links of the GPU with the lower and the higher number
    int to_switch = 0, most = 0, elsewhere = 0;
    bool xgmi = false;
    std::map<int, int> first_with; // number of links to the switch -> first GPU with it
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      int own = 0, own_to_switch = 0;
      for (const auto& link : gpus_[i]->children) {
        if (link->name != "nvlink" && link->name != "xgmi") continue;
        xgmi = xgmi || link->name == "xgmi";
        const int count = std::max(0, link->number("count", 1));
        const auto peer = by_bus.find(link->text("target"));
        if (peer != by_bus.end() && peer->second != static_cast<int>(i)) {
          const int gpu = static_cast<int>(i);
          pairs[std::minmax(gpu, peer->second)][gpu < peer->second ? 0 : 1] += count;
        } else if (link->text("tclass").starts_with("0x0680")) {
          to_switch += count;
          own_to_switch += count;
        } else {
          ++elsewhere;
          continue;
        }
        own += count;
      }
      most = std::max(most, own);
      first_with.try_emplace(own_to_switch, static_cast<int>(i));
    }
    if (to_switch > 0 && first_with.size() > 1)
      notes_.push_back(fmt::format("GPU {} has {} NVLinks to the switch, GPU {} has {}: {} are taken for every GPU.",
                                   first_with.begin()->second, first_with.begin()->first, first_with.rbegin()->second,
                                   first_with.rbegin()->first, most));
    const auto other = std::ranges::find_if(
        gpus_, [&](const XmlElement* gpu) { return gpu->number("sm", 0) != gpus_.front()->number("sm", 0); });
    if (other != gpus_.end())
      notes_.push_back(fmt::format("GPU 0 is of sm {}, GPU {} of sm {}: the type of GPU 0 is taken for every GPU.",
                                   gpus_.front()->number("sm", 0), other - gpus_.begin(), (*other)->number("sm", 0)));
    const GpuGeneration generation = generation_of(*gpus_.front(), notes_);
    node_.intra = to_switch > 0   ? NodeFabric::nvswitch
                  : pairs.empty() ? NodeFabric::pcie
                  : xgmi          ? NodeFabric::xgmi_mesh
                                  : NodeFabric::nvlink_mesh;
    node_.gpu = gpu_like(generation, most);
    if (node_.intra != NodeFabric::pcie) node_.link.latency = Seconds(0.25e-6);
    if (node_.mesh())
      for (const auto& [pair, counts] : pairs) {
        node_.pairs.push_back({pair.first, pair.second, std::ranges::max(counts)});
        if (counts[0] != counts[1])
          notes_.push_back(fmt::format("GPU {} has {} links to GPU {}, which has {} to it: {} are taken.", pair.first,
                                       counts[0], pair.second, counts[1], std::ranges::max(counts)));
      }
    if (node_.intra == NodeFabric::nvswitch)
      node_.nvls = node_.gpus > 1 && generation >= GpuGeneration::hopper && !xgmi;
    if (elsewhere > 0)
      notes_.push_back(
          fmt::format("{} NVLinks lead neither to a GPU nor to an NVSwitch; they are left out.", elsewhere));
    if (most > 0)
      notes_.push_back(fmt::format("The file does not give the rate of a link: {:.4g} GB/s, that of {}, is assumed.",
                                   node_.gpu.link_rate.value() / 1e9,
                                   node_.gpu.name.empty() ? "the generation" : "the " + node_.gpu.name));
    lanes();
  }

  /// Returns megabytes per second of a host link without PCIe (Grace); 0 if none exists.
  [[nodiscard]] double host_link() const {
    double rate = 0;
    for (const auto& child : gpus_.front()->children)
      if (child->name == "c2c") rate += static_cast<double>(child->number("bw", 0)) * child->number("count", 1);
    return rate;
  }

  void lanes() {
    if (const double rate = host_link(); rate > 0) {
      node_.gpu.host_link = ByteRate(rate * 1e6);
      node_.gpu.name.clear();
      node_.gpu.source = "link to the host: the topology file; else the catalogue's type of the generation";
      return;
    }
    const XmlElement* pci = enclosing(*gpus_.front(), "pci");
    if (pci == nullptr) return;
    const int generation = pcie_generation(pci->text("link_speed")), width = pci->number("link_width", 0);
    const auto text_of = [](const XmlElement& at) {
      return fmt::format("{} PCIe lanes of {}", at.number("link_width", 0), at.text("link_speed"));
    };
    const auto other = std::ranges::find_if(gpus_, [&](const XmlElement* gpu) {
      return enclosing(*gpu, "pci") != nullptr && text_of(*enclosing(*gpu, "pci")) != text_of(*pci);
    });
    if (other != gpus_.end())
      notes_.push_back(fmt::format("GPU 0 has {}, GPU {} has {}: every GPU gets those of GPU 0.", text_of(*pci),
                                   other - gpus_.begin(), text_of(*enclosing(**other, "pci"))));
    if (generation == 0 || width == 0) {
      notes_.push_back(fmt::format("The file does not say the GPUs' PCIe speed: generation {} is assumed.",
                                   node_.gpu.pcie_generation));
      return;
    }
    if (generation == node_.gpu.pcie_generation && width == node_.gpu.pcie_lanes) return;
    node_.gpu.pcie_generation = generation;
    node_.gpu.pcie_lanes = std::clamp(width, 1, 32);
    node_.gpu.name.clear();
    node_.gpu.source = "PCIe: the topology file; else the catalogue's type of the generation";
  }

  void switches() {
    std::vector<const XmlElement*> order;
    for (const XmlElement* gpu : gpus_) {
      const XmlElement* up = switch_of(*gpu);
      if (up == nullptr) return;
      if (order.empty() || order.back() != up) order.push_back(up);
    }
    if (std::set<const XmlElement*>(order.begin(), order.end()).size() != order.size() ||
        gpus_.size() % order.size() != 0) {
      notes_.emplace_back("The PCIe switches have unequal numbers of GPUs: the switches are left out.");
      return;
    }
    const std::size_t each = gpus_.size() / order.size();
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      if (switch_of(*gpus_[i]) != order[i / each]) {
        notes_.emplace_back("The PCIe switches have unequal numbers of GPUs: the switches are left out.");
        return;
      }
    node_.gpus_per_switch = static_cast<int>(each);
    switches_ = std::move(order);
  }

  void nics() {
    node_.nic.latency = Seconds(0.6e-6);
    if (nets_.empty()) {
      node_.nics = 1;
      node_.nic.bandwidth = ByteRate(100e9 / 8);
      node_.nic_source = "assumed: the topology file lists no NIC";
      notes_.emplace_back("The file lists no NIC, which is usual for jobs on one node: one of 100 Gbps is assumed; set "
                          "node.nics and node.nic.");
      return;
    }
    node_.nics = static_cast<int>(std::min(nets_.size(), static_cast<std::size_t>(NodeSpec::max_gpus)));
    nearest();
    std::vector<const XmlElement*> used;
    for (const int k : leave_out_unused_nics(node_, notes_)) used.push_back(nets_[static_cast<std::size_t>(k)]);
    nets_ = std::move(used);
    std::set<int> speeds;
    for (const XmlElement* net : nets_) speeds.insert(speed_of(*net));
    node_.nic.bandwidth = ByteRate(*speeds.begin() * 1e6 / 8);
    node_.nic_source = "rate: the topology file; latency: general knowledge";
    if (speeds.size() > 1)
      notes_.push_back(fmt::format("NICs have several speeds, from {} to {} Mbit/s: the lowest is used for all.",
                                   *speeds.begin(), *speeds.rbegin()));
    node_.gpudirect = std::ranges::any_of(nets_, [](const XmlElement* net) { return net->number("gdr", 0) > 0; });
    if (!node_.gpudirect) {
      node_.host_memory.bandwidth = ByteRate(20e9);
      node_.host_memory.source = "general knowledge";
      notes_.emplace_back(
          "No NIC reads GPU memory (gdr): its data are copied through host memory, at an assumed 20 GB/s.");
    }
    seats();
  }

  /// Assigns each GPU the NICs on its own switch, else those at its socket.
  void nearest() {
    for (const XmlElement* gpu : gpus_) {
      std::vector<int> same_switch, same_socket;
      for (int k = 0; k < node_.nics; ++k) {
        const XmlElement& net = *nets_[static_cast<std::size_t>(k)];
        if (switch_of(*gpu) != nullptr && switch_of(net) == switch_of(*gpu)) same_switch.push_back(k);
        if (enclosing(net, "cpu") == enclosing(*gpu, "cpu")) same_socket.push_back(k);
      }
      if (!same_switch.empty())
        node_.near.push_back(same_switch);
      else if (!same_socket.empty())
        node_.near.push_back({same_socket[node_.near.size() % same_socket.size()]});
      else
        node_.near.push_back({static_cast<int>(node_.near.size()) % node_.nics});
    }
  }

  /// Places each NIC at its PCIe switch, or at its socket.
  void seats() {
    for (int k = 0; k < node_.nics; ++k) {
      const XmlElement& net = *nets_[static_cast<std::size_t>(k)];
      const int seat =
          switches_.empty() ? number_in(cpus_, enclosing(net, "cpu")) : number_in(switches_, switch_of(net));
      if (seat >= 0) {
        node_.nic_seats.push_back(seat);
        continue;
      }
      node_.nic_seats.clear();
      if (!switches_.empty())
        notes_.emplace_back(
            "A NIC is on a PCIe switch without GPUs: each NIC is placed at the first GPU that uses it.");
      return;
    }
  }

  std::string path_;
  std::vector<const XmlElement*> gpus_, cpus_, nets_, switches_;
  NodeSpec node_;
  std::vector<std::string> notes_;
};

} // namespace

ImportedTopology nccl_topology(std::string_view text, const std::string& path) {
  const auto root = read_xml(text, path);
  return Dump(*root, path).take();
}

} // namespace gradflight
