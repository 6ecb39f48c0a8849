#include "models/nccl/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace gradflight::nccl {

double nvlink_rate(Generation generation) {
  static constexpr std::array<double, 5> rates = {18, 20, 20, 20.6, 40.1};
  return rates[static_cast<std::size_t>(generation)];
}

double pcie_rate(int generation, int lanes) { return std::ldexp(12.0, generation - 3) * lanes / 16; }

std::vector<int> mesh_links(int count, int links_per_pair) {
  std::vector<int> links(static_cast<std::size_t>(count) * static_cast<std::size_t>(count), links_per_pair);
  for (int gpu = 0; gpu < count; ++gpu) links[static_cast<std::size_t>(gpu) * static_cast<std::size_t>(count + 1)] = 0;
  return links;
}

bool is_full_mesh(const Machine& machine) {
  const int gpus = machine.gpu_count();
  return machine.nodes == 1 && gpus > 1 && !machine.links.empty() && machine.links[1] > 0 &&
         machine.links == mesh_links(gpus, machine.links[1]);
}

Machine with_gpus(const Machine& machine, std::span<const int> gpus) {
  Machine some = machine;
  some.gpus.clear();
  some.links.clear();
  const auto all = machine.gpus.size();
  for (const int gpu : gpus) {
    some.gpus.push_back(machine.gpus.at(static_cast<std::size_t>(gpu)));
    if (some.gpus.back().device < 0) some.gpus.back().device = gpu;
    if (!machine.links.empty())
      for (const int other : gpus)
        some.links.push_back(machine.links.at(static_cast<std::size_t>(gpu) * all + static_cast<std::size_t>(other)));
  }
  return some;
}

namespace {

constexpr int most_gpus = 72, most_nics = 256, most_nodes = 1'000'000; // NCCL_MAX_LOCAL_RANKS, NCCL_TOPO_MAX_NODES
constexpr double most_rate = 1e9;                                      // GB/s: a what-if multiplies a real rate by 10^6

bool good_rate(double rate) { return rate > 0 && rate <= most_rate; }

class Checker {
public:
  explicit Checker(const Machine& machine) : m_(machine) {}

  std::vector<std::string> check() {
    const int gpus = m_.gpu_count();
    if (gpus < 1 || gpus > most_gpus) say(fmt::format("{} GPUs in a node: should be 1 to {}", gpus, most_gpus));
    if (m_.nodes < 1 || m_.nodes > most_nodes) say(fmt::format("{} nodes: should be 1 to {}", m_.nodes, most_nodes));
    if (m_.nics.size() > most_nics) say(fmt::format("{} NICs in a node: at most {}", m_.nics.size(), most_nics));
    if (m_.nodes > 1 && m_.nics.empty()) say("several nodes need a NIC");
    if (m_.switch_links < 0) say("the number of NVLinks to the switch is negative");
    if (m_.nvlink != 0 && !good_rate(m_.nvlink))
      say(fmt::format("the NVLink has a rate of {} GB/s: should be above 0 and at most {:g}", m_.nvlink, most_rate));
    if (!good_rate(m_.socket_rate))
      say(fmt::format("the link between sockets has a rate of {} GB/s: should be above 0 and at most {:g}",
                      m_.socket_rate, most_rate));
    links();
    for (std::size_t i = 0; i < m_.pcie_switches.size(); ++i) {
      socket(m_.pcie_switches[i].socket, fmt::format("PCIe switch {}", i));
      rate(m_.pcie_switches[i].rate, fmt::format("PCIe switch {}", i));
    }
    for (std::size_t i = 0; i < m_.gpus.size(); ++i) {
      const std::string who = fmt::format("GPU {}", i);
      socket(m_.gpus[i].socket, who);
      below(m_.gpus[i].pcie_switch, m_.gpus[i].socket, who);
      rate(m_.gpus[i].pcie_rate, who);
      if (m_.gpus[i].c2c_rate != 0) rate(m_.gpus[i].c2c_rate, who);
    }
    for (std::size_t i = 0; i < m_.nics.size(); ++i) {
      const std::string who = fmt::format("NIC {}", i);
      socket(m_.nics[i].socket, who);
      below(m_.nics[i].pcie_switch, m_.nics[i].socket, who);
      rate(m_.nics[i].rate, who);
      if (m_.nics[i].pcie_rate != 0) rate(m_.nics[i].pcie_rate, who);
      if (!(m_.nics[i].latency_us >= 0 && m_.nics[i].latency_us <= 1e6)) say(who + "'s latency should be 0 us or more");
    }
    return std::move(found_);
  }

private:
  void say(std::string text) { found_.push_back(std::move(text)); }
  void socket(int number, const std::string& who) {
    if (number < 0 || number >= most_gpus) say(fmt::format("{} is at socket {}: should be 0 or more", who, number));
  }
  void below(int pcie_switch, int at, const std::string& who) {
    const int switches = static_cast<int>(m_.pcie_switches.size());
    if (pcie_switch < -1 || pcie_switch >= switches)
      say(fmt::format("{} is below PCIe switch {}, but a node has {} switches", who, pcie_switch, switches));
    else if (pcie_switch >= 0 && m_.pcie_switches[static_cast<std::size_t>(pcie_switch)].socket != at)
      say(fmt::format("{} is at socket {}, but its PCIe switch is not", who, at));
  }
  void rate(double value, const std::string& who) {
    if (!good_rate(value))
      say(fmt::format("{} has a rate of {} GB/s: should be above 0 and at most {:g}", who, value, most_rate));
  }
  void links() {
    if (m_.links.empty()) return;
    const std::size_t gpus = m_.gpus.size();
    if (m_.links.size() != gpus * gpus) {
      say(fmt::format("{} numbers of NVLinks for {} GPUs: should be {}", m_.links.size(), gpus, gpus * gpus));
      return;
    }
    for (std::size_t a = 0; a < gpus; ++a)
      for (std::size_t b = a; b < gpus; ++b) {
        const int there = m_.links[a * gpus + b], back = m_.links[b * gpus + a];
        if (there < 0) say(fmt::format("the number of NVLinks between GPUs {} and {} is negative", a, b));
        if (a == b && there != 0) say(fmt::format("GPU {} has NVLinks to itself", a));
        if (there != back) say(fmt::format("{} NVLinks from GPU {} to {}, {} back", there, a, b, back));
      }
  }

  const Machine& m_;
  std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> mistakes_of(const Machine& machine) { return Checker(machine).check(); }

} // namespace gradflight::nccl
