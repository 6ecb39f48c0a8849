#include "platforms/code/node_shape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace gradflight {
namespace {

/// Returns which of `blocks` equal blocks contains item `number` of `count`.
int block(int number, int count, int blocks) {
  return static_cast<int>(std::int64_t{number} * blocks / std::max(count, 1));
}

} // namespace

Seat at_switch(const NodeSpec& node, int number) {
  if (node.gpu_sockets.empty()) return {number, block(number, node.switches(), node.sockets)};
  return {number, node.gpu_sockets[static_cast<std::size_t>(number) * static_cast<std::size_t>(node.gpus_per_switch)]};
}

std::vector<Seat> gpu_seats(const NodeSpec& node) {
  std::vector<Seat> seats;
  for (int g = 0; g < node.gpus; ++g)
    seats.push_back(node.gpus_per_switch > 0   ? at_switch(node, g / node.gpus_per_switch)
                    : node.gpu_sockets.empty() ? Seat{-1, block(g, node.gpus, node.sockets)}
                                               : Seat{-1, node.gpu_sockets[static_cast<std::size_t>(g)]});
  return seats;
}

std::vector<Seat> nic_seats(const NodeSpec& node) {
  const auto gpus = gpu_seats(node);
  const auto near = nics_of_gpus(node);
  std::vector<Seat> seats(static_cast<std::size_t>(node.nics));
  for (std::size_t g = gpus.size(); g-- > 0;) // the first GPU takes precedence
    for (const int nic : near[g]) seats[static_cast<std::size_t>(nic)] = gpus[g];
  for (std::size_t k = 0; k < node.nic_seats.size(); ++k)
    seats[k] = node.switches() > 0 ? at_switch(node, node.nic_seats[k]) : Seat{-1, node.nic_seats[k]};
  return seats;
}

class NodeShapeBuilder {
public:
  NodeShapeBuilder(const NodeSpec& spec, PlatformErrors& errors)
      : spec_(spec), errors_(errors), shape_(std::make_unique<NodeShape>()) {}

  std::unique_ptr<NodeShape> build() {
    const auto before = errors_.size();
    check();
    if (errors_.size() != before) return nullptr;
    shape_->gpus_ = spec_.gpus;
    shape_->nics_ = spec_.nics;
    shape_->near_ = nics_of_gpus(spec_);
    gpu_seats_ = gpu_seats(spec_);
    nic_seats_ = nic_seats(spec_);
    add_links();
    find_ways();
    if (errors_.size() != before) return nullptr;
    return std::move(shape_);
  }

private:
  void fail(std::string_view key, std::string message) {
    errors_.push_back({fmt::format("/node/{}", key), std::move(message)});
  }

  void check_inner_link(const NodeLink& link, const std::string& key) {
    check_rate(link.bandwidth, "/node/" + key + "/bandwidth", errors_);
    check_latency(link.latency, "/node/" + key + "/latency", errors_);
  }

  void check() {
    const bool gpus = check_count(spec_.gpus, 1, "/node/gpus", errors_);
    const bool nics = check_count(spec_.nics, 1, "/node/nics", errors_);
    for (const auto& [key, count] : {std::pair("gpus", spec_.gpus), std::pair("nics", spec_.nics)})
      if (count > NodeSpec::max_gpus) fail(key, fmt::format("must be at most {}, not {}", NodeSpec::max_gpus, count));
    check_count(spec_.sockets, 1, "/node/sockets", errors_);
    check_count(spec_.gpus_per_switch, 0, "/node/gpus_per_switch", errors_);
    check_link(spec_.nic, "/node/nic", Ends::up_down, errors_);
    check_rate(spec_.nic_total, "/node/nic_total_bandwidth", errors_);
    check_inner_link(spec_.link, "link");
    check_inner_link(spec_.pcie, "pcie");
    if (spec_.switch_uplink) check_inner_link(*spec_.switch_uplink, "switch_uplink");
    if (spec_.socket_link) check_inner_link(*spec_.socket_link, "socket_link");
    if (spec_.socket_link && !spec_.socket_link->bandwidth) fail("socket_link", "\"bandwidth\" is missing");
    if (spec_.copies()) {
      check_inner_link(spec_.host_memory, "host_memory");
      if (!spec_.host_memory.bandwidth) fail("host_memory", "copies through host memory need its \"bandwidth\"");
    }
    if (!std::isfinite(spec_.rail_oversubscription) || spec_.rail_oversubscription <= 0)
      fail("rail_oversubscription",
           fmt::format("must be a finite number above 0, not {}", spec_.rail_oversubscription));
    if (!gpus || !nics) return;
    check_gpu_sockets();
    check_gpu();
    check_mesh();
    check_near();
  }

  void check_gpu_sockets() {
    const std::vector<int>& sockets = spec_.gpu_sockets;
    if (sockets.empty()) return;
    if (std::ssize(sockets) != spec_.gpus)
      return fail("gpu_sockets",
                  fmt::format("{} entries for {} GPUs; expected one per GPU", sockets.size(), spec_.gpus));
    for (std::size_t g = 0; g < sockets.size(); ++g) {
      const std::string at = fmt::format("gpu_sockets/{}", g);
      if (sockets[g] < 0 || sockets[g] >= spec_.sockets)
        fail(at,
             fmt::format("socket {} does not exist: the {} of a node are numbered from 0", sockets[g], spec_.sockets));
      else if (const std::size_t first =
                   spec_.gpus_per_switch > 0 ? g - g % static_cast<std::size_t>(spec_.gpus_per_switch) : g;
               sockets[g] != sockets[first])
        fail(at, fmt::format("GPUs {} and {} have one PCIe switch, but the sockets {} and {}", first, g, sockets[first],
                             sockets[g]));
    }
  }

  void check_gpu() {
    const GpuType& gpu = spec_.gpu;
    const auto check_share = [&](std::string_view key, double value) {
      if (!(value > 0 && value <= 1)) fail(key, fmt::format("must be above 0 and at most 1, not {}", value));
    };
    check_share("gpu/link_efficiency", gpu.link_efficiency);
    check_share("gpu/pcie_efficiency", gpu.pcie_efficiency);
    if (gpu.links < 0) fail("gpu/links", fmt::format("must be 0 or more, not {}", gpu.links));
    const bool by_links = spec_.intra != NodeFabric::pcie && spec_.gpus > 1;
    const std::string type = gpu.name.empty() ? "this GPU" : gpu.name;
    if (by_links && gpu.links == 0)
      fail("intra", fmt::format("{} has no NVLink or xGMI links: use \"pcie\"", type));
    else if (by_links && !spec_.link.bandwidth && !(gpu.link_rate.value() > 0))
      fail("gpu/link_rate", "the rate of a link is missing");
    const bool amd = gpu.generation >= GpuGeneration::cdna2;
    if (by_links && amd != (spec_.intra == NodeFabric::xgmi_mesh))
      fail("intra", fmt::format("{} has {}: {}", type, amd ? "xGMI links" : "NVLink",
                                amd ? "use \"xgmi_mesh\"" : "use \"nvswitch\", \"nvlink_mesh\" or \"cube_mesh\""));
    else if (by_links && gpu.links > 0 && gpu.generation < GpuGeneration::volta && spec_.intra == NodeFabric::nvswitch)
      fail("intra", fmt::format("{} is older than NVSwitch: use \"nvlink_mesh\" or \"cube_mesh\"", type));
    if (spec_.nvls && (spec_.intra != NodeFabric::nvswitch || spec_.gpus < 2))
      fail("nvls", "needs \"intra\": \"nvswitch\" and at least two GPUs");
    else if (spec_.nvls && gpu.generation < GpuGeneration::hopper)
      fail("nvls", fmt::format("{} cannot reduce in an NVSwitch: only Hopper and later GPUs can", type));
  }

  void check_mesh() {
    if (!spec_.mesh() || spec_.gpu.links <= 0 || spec_.gpus < 2) return;
    if (!spec_.pairs.empty()) return check_pairs();
    if (spec_.intra == NodeFabric::cube_mesh) {
      if (spec_.gpus > 8) fail("gpus", fmt::format("a cube mesh has 8 GPUs, not {}", spec_.gpus));
      if (spec_.gpu.links < 4)
        fail("intra", fmt::format("a cube mesh needs 4 links per GPU, but this GPU has {}", spec_.gpu.links));
    } else if (spec_.gpu.links < spec_.gpus - 1) {
      fail("intra", fmt::format("{} links per GPU do not reach {} other GPUs; list the connected pairs in \"pairs\"",
                                spec_.gpu.links, spec_.gpus - 1));
    }
  }

  void check_pairs() {
    std::vector<int> links(static_cast<std::size_t>(spec_.gpus), 0);
    std::map<std::pair<int, int>, std::size_t> seen;
    for (std::size_t i = 0; i < spec_.pairs.size(); ++i) {
      const GpuPair& pair = spec_.pairs[i];
      const std::string at = fmt::format("pairs/{}", i);
      const auto there = [this](int gpu) { return gpu >= 0 && gpu < spec_.gpus; };
      if (!there(pair.a) || !there(pair.b) || pair.a == pair.b || pair.links < 1) {
        fail(at, fmt::format("expected two different GPUs from 0 to {} and at least 1 link", spec_.gpus - 1));
        continue;
      }
      if (!seen.emplace(std::minmax(pair.a, pair.b), i).second)
        fail(at, fmt::format("the pair of GPUs {} and {} is listed twice", pair.a, pair.b));
      links[static_cast<std::size_t>(pair.a)] += pair.links;
      links[static_cast<std::size_t>(pair.b)] += pair.links;
    }
    for (int g = 0; g < spec_.gpus; ++g)
      if (links[static_cast<std::size_t>(g)] > spec_.gpu.links)
        fail("pairs", fmt::format("GPU {} has {} links, but \"pairs\" use {}", g, spec_.gpu.links,
                                  links[static_cast<std::size_t>(g)]));
  }

  void check_near() {
    std::vector<int> users(static_cast<std::size_t>(spec_.nics), 0);
    if (!spec_.near.empty() && std::ssize(spec_.near) != spec_.gpus)
      return fail("near", fmt::format("{} entries for {} GPUs; expected one per GPU", spec_.near.size(), spec_.gpus));
    const auto near = nics_of_gpus(spec_);
    for (std::size_t g = 0; g < near.size(); ++g) {
      if (near[g].empty()) fail(fmt::format("near/{}", g), fmt::format("GPU {} reaches no NIC", g));
      if (std::set<int>(near[g].begin(), near[g].end()).size() < near[g].size())
        fail(fmt::format("near/{}", g), "a NIC is listed twice");
      for (const int nic : near[g])
        if (nic < 0 || nic >= spec_.nics)
          fail(fmt::format("near/{}", g),
               fmt::format("NIC {} does not exist: the {} NICs are numbered from 0", nic, spec_.nics));
        else
          ++users[static_cast<std::size_t>(nic)];
    }
    for (int k = 0; k < spec_.nics; ++k)
      if (users[static_cast<std::size_t>(k)] == 0) fail("near", fmt::format("no GPU uses NIC {}", k));
    if (spec_.nic_seats.empty()) return;
    const int seats = spec_.switches() > 0 ? spec_.switches() : spec_.sockets;
    if (std::ssize(spec_.nic_seats) != spec_.nics)
      fail("nic_seats",
           fmt::format("{} entries for {} NICs; expected one per NIC", spec_.nic_seats.size(), spec_.nics));
    for (std::size_t k = 0; k < spec_.nic_seats.size(); ++k)
      if (spec_.nic_seats[k] < 0 || spec_.nic_seats[k] >= seats)
        fail(fmt::format("nic_seats/{}", k),
             fmt::format("{} {} does not exist: the {} of a node are numbered from 0",
                         spec_.switches() > 0 ? "PCIe switch" : "socket", spec_.nic_seats[k], seats));
  }

  /// Whether the directions of a NIC limit each other. A bound above both has no effect, and would only couple
  /// independent traffic.
  [[nodiscard]] bool shared_nics() const {
    const auto way = [this](const std::optional<ByteRate>& own) { return own.value_or(spec_.nic.bandwidth).value(); };
    return spec_.nic_total && spec_.nic_total->value() < way(spec_.nic.egress) + way(spec_.nic.ingress);
  }

  std::int32_t add(std::string name, ByteRate bandwidth, Seconds latency, const LinkRole& role) {
    shape_->links_.push_back({std::move(name), bandwidth.value(), latency.value(), 0, role});
    return static_cast<std::int32_t>(shape_->links_.size()) - 1;
  }
  /// Returns the number of the upward link; the downward one follows.
  std::int32_t cable(const std::string& name, ByteRate bandwidth, Seconds latency, LinkRole role) {
    role.way = LinkWay::up;
    const auto up = add(name + ".up", bandwidth, latency, role);
    role.way = LinkWay::down;
    add(name + ".down", bandwidth, latency, role);
    return up;
  }
  static LinkRole role(LinkTier tier, LinkType type) { return {.tier = tier, .type = type}; }

  void add_links() {
    const ByteRate pcie = spec_.pcie.bandwidth.value_or(spec_.gpu.to_host());
    gpu_up_ = static_cast<std::int32_t>(shape_->links_.size());
    for (int g = 0; g < spec_.gpus; ++g)
      cable(fmt::format("gpu{}", g), pcie, spec_.pcie.latency, role(LinkTier::pcie, LinkType::gpu_pcie));
    const NodeLink uplink = spec_.switch_uplink.value_or(spec_.pcie);
    switch_up_ = static_cast<std::int32_t>(shape_->links_.size());
    for (int s = 0; s < spec_.switches(); ++s)
      cable(fmt::format("pcie{}", s), uplink.bandwidth.value_or(pcie), uplink.latency,
            role(LinkTier::pcie, LinkType::switch_pcie));
    if (spec_.socket_link)
      for (int a = 0; a < spec_.sockets; ++a)
        for (int b = 0; b < spec_.sockets; ++b)
          if (a != b)
            sockets_[{a, b}] = add(fmt::format("socket{}-{}", a, b), *spec_.socket_link->bandwidth,
                                   spec_.socket_link->latency, role(LinkTier::host, LinkType::sockets));
    memory_ = static_cast<std::int32_t>(shape_->links_.size());
    for (int s = 0; spec_.copies() && s < spec_.sockets; ++s)
      add(fmt::format("socket{}.memory", s), *spec_.host_memory.bandwidth, spec_.host_memory.latency,
          role(LinkTier::host, LinkType::memory));
    total_ = static_cast<std::int32_t>(shape_->links_.size());
    for (int k = 0; shared_nics() && k < spec_.nics; ++k) {
      LinkRole both = role(LinkTier::nic, LinkType::nic_total);
      both.nic = static_cast<std::int16_t>(k);
      add(fmt::format("nic{}.both", k), *spec_.nic_total, Seconds(), both);
    }
    add_gpu_links();
  }

  void add_gpu_links() {
    shape_->nvlink_ = static_cast<std::int32_t>(shape_->links_.size());
    const ByteRate one = spec_.gpu.link_payload();
    if (spec_.intra == NodeFabric::nvswitch && spec_.gpus > 1)
      for (int g = 0; g < spec_.gpus; ++g)
        cable(fmt::format("gpu{}.nvlink", g), spec_.link.bandwidth.value_or(one * spec_.gpu.links), spec_.link.latency,
              role(LinkTier::gpu_link, LinkType::gpu_port));
    const char* name = spec_.intra == NodeFabric::xgmi_mesh ? "xgmi" : "nvlink";
    for (const GpuPair& pair : mesh_pairs(spec_))
      for (const auto& [a, b] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)})
        joined_[{a, b}] = add(fmt::format("{}{}-{}", name, a, b), spec_.link.bandwidth.value_or(one) * pair.links,
                              spec_.link.latency, role(LinkTier::gpu_link, LinkType::gpu_pair));
  }

  enum class Copy { none, at_sender, at_receiver }; ///< through the socket memory of which side

  /// Finds the way from one seat to another; returns false if none exists.
  bool through_host(const Seat& from, const Seat& to, Copy copy, std::vector<std::int32_t>& way) const {
    if (copy == Copy::none && from.pcie_switch >= 0 && from.pcie_switch == to.pcie_switch) return true;
    if (from.pcie_switch >= 0) way.push_back(switch_up_ + 2 * from.pcie_switch);
    if (copy == Copy::at_sender) way.push_back(memory_ + from.socket);
    if (from.socket != to.socket) {
      const auto found = sockets_.find({from.socket, to.socket});
      if (found == sockets_.end()) return false;
      way.push_back(found->second);
    }
    if (copy == Copy::at_receiver) way.push_back(memory_ + to.socket);
    if (to.pcie_switch >= 0) way.push_back(switch_up_ + 2 * to.pcie_switch + 1);
    return true;
  }

  bool between(int a, int b, std::vector<std::int32_t>& way) const {
    if (a == b) return true;
    if (spec_.intra == NodeFabric::nvswitch) {
      way = {shape_->to_switch(a), shape_->from_switch(b)};
      return true;
    }
    if (const auto found = joined_.find({a, b}); found != joined_.end()) {
      way = {found->second};
      return true;
    }
    way.push_back(gpu_up_ + 2 * a);
    const bool reached = through_host(seat(a), seat(b), spec_.peer_to_peer ? Copy::none : Copy::at_sender, way);
    way.push_back(gpu_up_ + 2 * b + 1);
    return reached;
  }

  [[nodiscard]] const Seat& seat(int gpu) const { return gpu_seats_[static_cast<std::size_t>(gpu)]; }

  static void append(NodeShape::Ways& ways, const std::vector<std::int32_t>& way) {
    ways.links.insert(ways.links.end(), way.begin(), way.end());
    ways.close();
  }

  /// Adds the ways to a NIC and back; both are empty if none exists.
  bool add_nic_ways(int gpu, int nic) {
    const Seat& there = nic_seats_[static_cast<std::size_t>(nic)];
    std::vector<std::int32_t> to{gpu_up_ + 2 * gpu}, from;
    if (shared_nics()) from.push_back(total_ + nic);
    const bool reached = through_host(seat(gpu), there, spec_.gpudirect ? Copy::none : Copy::at_sender, to) &&
                         through_host(there, seat(gpu), spec_.gpudirect ? Copy::none : Copy::at_receiver, from);
    if (shared_nics()) to.push_back(total_ + nic);
    from.push_back(gpu_up_ + 2 * gpu + 1);
    append(shape_->to_nic_, reached ? to : std::vector<std::int32_t>());
    append(shape_->from_nic_, reached ? from : std::vector<std::int32_t>());
    return reached;
  }

  void find_ways() {
    std::vector<std::int32_t> way;
    int missing = 0;
    std::string example;
    const auto miss = [&](std::string pair) {
      if (missing++ == 0) example = std::move(pair);
    };
    for (int a = 0; a < spec_.gpus; ++a)
      for (int b = 0; b < spec_.gpus; ++b) {
        way.clear();
        if (!between(a, b, way)) miss(fmt::format("GPU {} cannot reach GPU {}", a, b));
        append(shape_->between_, way);
      }
    for (int g = 0; g < spec_.gpus; ++g)
      for (int nic = 0; nic < spec_.nics; ++nic) {
        const bool reached = add_nic_ways(g, nic);
        if (!reached && std::ranges::count(shape_->nics(g), nic) > 0)
          miss(fmt::format("GPU {} cannot reach NIC {}", g, nic));
      }
    if (missing > 0)
      fail("sockets", fmt::format("{}{}: nothing connects their sockets; give \"socket_link\"", example,
                                  missing > 1 ? fmt::format(" (nor {} other pairs)", missing - 1) : ""));
  }

  const NodeSpec& spec_;
  PlatformErrors& errors_;
  std::unique_ptr<NodeShape> shape_;
  std::vector<Seat> gpu_seats_, nic_seats_;
  std::int32_t gpu_up_ = 0, switch_up_ = 0, memory_ = 0, total_ = 0;
  std::map<std::pair<int, int>, std::int32_t> sockets_, joined_; ///< directed
};

std::unique_ptr<NodeShape> NodeShape::make(const NodeSpec& spec, PlatformErrors& errors) {
  return NodeShapeBuilder(spec, errors).build();
}

} // namespace gradflight
