#include "scenarios/language/tables/tables_node.hpp"

#include "scenarios/language/tables/tables_link.hpp"

#include <algorithm>

namespace gradflight {
namespace {

constexpr const char* for_people_only = "Where the values come from, for people.";

const Table<GpuType>& gpu_table() {
  static const auto table = [] {
    using enum GpuGeneration;
    Table<GpuType> t("gpu", "What of a GPU matters to communication.");
    t.defaulted("name", &GpuType::name, text(), "For people.").for_people();
    t.defaulted("links", &GpuType::links, integer(0, 1000), "Its NVLinks or xGMI links.");
    const auto linked = [](const GpuType& g) { return g.links > 0; };
    t.required("link_rate", &GpuType::link_rate, positive<ByteRate>(),
               "One of these links in one direction, by the data sheet.")
        .only(linked, "links");
    t.defaulted("link_efficiency", &GpuType::link_efficiency, number(0, 1, true),
                "Share of link_rate that payload attains.")
        .only(linked, "links");
    t.defaulted("pcie_generation", &GpuType::pcie_generation, integer(1, 6), "PCI Express, to the host.");
    t.defaulted("pcie_lanes", &GpuType::pcie_lanes, integer(1, 32), "Its lanes.");
    t.defaulted(
        "pcie_efficiency", &GpuType::pcie_efficiency, number(0, 1, true),
        "Share of the lanes' bits that payload attains; the catalogue's types have 0.762 (NCCL's 12 GB/s for 16 "
        "lanes of generation 3).");
    t.maybe(
        "host_link", &GpuType::host_link, positive<ByteRate>(),
        "Payload to the host in one direction, where no PCI Express leads there (NVLink-C2C). Absent: PCI Express.");
    t.required("generation", &GpuType::generation,
               choice<GpuGeneration>("a generation", {{"kepler", kepler},
                                                      {"pascal", pascal},
                                                      {"volta", volta},
                                                      {"ampere", ampere},
                                                      {"hopper", hopper},
                                                      {"blackwell", blackwell},
                                                      {"cdna2", cdna2},
                                                      {"cdna3", cdna3}}),
               "Communication libraries choose by it.");
    t.defaulted("source", &GpuType::source, text(), for_people_only).for_people();
    return t;
  }();
  return table;
}

Value<GpuType> gpu_value() {
  std::vector<std::string> names;
  for (const GpuType& type : gpu_types()) names.push_back(type.name);
  auto named = mapped<std::size_t, GpuType>(
      product_name("a GPU of the catalogue", std::move(names)), [](std::size_t i) { return gpu_types()[i]; },
      [](const GpuType& type) {
        return static_cast<std::size_t>(std::ranges::find(gpu_types(), type) - gpu_types().begin());
      });
  return either<GpuType>(std::move(named), object(gpu_table()), is_text,
                         [](const GpuType& type) { return std::ranges::find(gpu_types(), type) != gpu_types().end(); });
}

const Table<NodeLink>& inner_link_table() {
  static const auto table = [] {
    Table<NodeLink> t("node_link", "A link inside a node, both directions alike.");
    t.maybe("bandwidth", &NodeLink::bandwidth, positive<ByteRate>(),
            "Payload bytes per second and direction. Absent: what the link's owner says, see there.");
    t.defaulted("latency", &NodeLink::latency, quantity<Seconds>(), "One way; latencies on a way add up.");
    t.defaulted("source", &NodeLink::source, text(), for_people_only).for_people();
    return t;
  }();
  return table;
}

/// [a, b] or [a, b, links].
Value<GpuPair> pair_value() {
  auto numbers = list(integer(0, NodeSpec::max_gpus), 2);
  const Shape shape = numbers.shape;
  return {shape,
          [numbers](const Node& node, Decoder& decoder) -> std::optional<GpuPair> {
            const auto read = numbers.read(node, decoder);
            if (!read) return std::nullopt;
            if (read->size() > 3) {
              decoder.fail(node.position, "expected two GPUs and how many links join them: [0, 1, 2]");
              return std::nullopt;
            }
            return GpuPair{(*read)[0], (*read)[1], read->size() > 2 ? (*read)[2] : 1};
          },
          [numbers](const GpuPair& pair) {
            return numbers.show({pair.a, pair.b, pair.links});
          }};
}

/// One number or a list of them.
Value<std::vector<int>> some_nics() {
  const auto nic = integer(0, NodeSpec::max_gpus - 1);
  auto one = mapped<int, std::vector<int>>(
      nic, [](int k) { return std::vector{k}; }, [](const std::vector<int>& nics) { return nics.front(); });
  return either<std::vector<int>>(std::move(one), list(nic, 1), is_number,
                                  [](const std::vector<int>& nics) { return nics.size() == 1; });
}

void gpu_fields(Table<NodeSpec>& t) {
  t.required("gpus", &NodeSpec::gpus, integer(1, NodeSpec::max_gpus), "GPUs of a node: a rank each.");
  t.defaulted("intra", &NodeSpec::intra,
              choice<NodeFabric>("a way to join GPUs", {{"nvswitch", NodeFabric::nvswitch},
                                                        {"nvlink_mesh", NodeFabric::nvlink_mesh},
                                                        {"cube_mesh", NodeFabric::cube_mesh},
                                                        {"pcie", NodeFabric::pcie},
                                                        {"xgmi_mesh", NodeFabric::xgmi_mesh}}),
              "How they reach each other. nvswitch: each by all its links to a switch that never blocks. nvlink_mesh, "
              "xgmi_mesh: each pair by links of its own. cube_mesh: as in a DGX-1. GPUs that no link joins, and all of "
              "them with pcie, use PCI Express.");
  const auto linked = [](const NodeSpec& n) { return n.intra != NodeFabric::pcie; };
  const auto meshed = [](const NodeSpec& n) {
    return n.intra == NodeFabric::nvlink_mesh || n.intra == NodeFabric::xgmi_mesh;
  };
  t.defaulted("link", &NodeSpec::link, object(inner_link_table()),
              "nvswitch: between a GPU and the switch; its bandwidth absent: all links of the GPU. Meshes: a cable "
              "between two GPUs; bandwidth: of one of its links, absent: the GPU's.")
      .only(linked, "intra other than pcie");
  t.info.fields.back().default_text = "{}";
  t.defaulted("pairs", &NodeSpec::pairs, list(pair_value()),
              "The GPUs that are joined, and by how many links: [0, 1, 4]. []: all, by links / (gpus - 1) each.")
      .only(meshed, "intra nvlink_mesh or xgmi_mesh");
  t.defaulted("nvls", &NodeSpec::nvls, boolean(), "The NVSwitch reduces and multicasts.")
      .only([](const NodeSpec& n) { return n.intra == NodeFabric::nvswitch; }, "intra nvswitch");
}

void host_fields(Table<NodeSpec>& t) {
  t.defaulted(
      "cpu", &NodeSpec::cpu,
      choice<CpuVendor>(
          "a maker of processors",
          {{"intel", CpuVendor::intel}, {"amd", CpuVendor::amd}, {"arm", CpuVendor::arm}, {"power", CpuVendor::power}}),
      "Whose processors: nccl counts what they need to post a message to a NIC, and has tables for amd.");
  t.defaulted("sockets", &NodeSpec::sockets, integer(1, NodeSpec::max_gpus),
              "Processors; GPUs and PCIe switches are dealt to them in blocks.");
  t.defaulted("pcie", &NodeSpec::pcie, object(inner_link_table()),
              "Between a GPU and its PCIe switch, or its socket. Bandwidth absent: the GPU's way to the host.");
  t.info.fields.back().default_text = "{}";
  t.defaulted("gpus_per_switch", &NodeSpec::gpus_per_switch, integer(0, NodeSpec::max_gpus),
              "GPUs on one PCIe switch. 0: no switches, GPUs and NICs are at the sockets.");
  t.maybe("switch_uplink", &NodeSpec::switch_uplink, object(inner_link_table()),
          "Between a PCIe switch and its socket. Absent: as `pcie`.")
      .only([](const NodeSpec& n) { return n.gpus_per_switch > 0; }, "gpus_per_switch above 0");
  t.maybe("socket_link", &NodeSpec::socket_link, object(inner_link_table()),
          "Between each two sockets; needs its bandwidth. Absent: nothing joins them.")
      .only([](const NodeSpec& n) { return n.sockets > 1; }, "two sockets or more");
  t.defaulted("peer_to_peer", &NodeSpec::peer_to_peer, boolean(),
              "false: what GPUs send each other over PCIe is copied through host memory.");
  t.defaulted("gpudirect", &NodeSpec::gpudirect, boolean(),
              "NICs read and write the GPUs' memory. false: all they carry is copied through host memory.");
  t.defaulted("host_memory", &NodeSpec::host_memory, object(inner_link_table()),
              "The memory of a socket: bytes copied through it per second (each is written and read once).")
      .only([](const NodeSpec& n) { return n.copies(); }, "gpudirect false or peer_to_peer false");
  t.info.fields.back().default_text = "{}";
}

void nic_fields(Table<NodeSpec>& t) {
  t.defaulted("nics", &NodeSpec::nics, integer(1, NodeSpec::max_gpus),
              "NICs of a node; extra nodes (servers) have one. Fewer than GPUs: GPU g uses NIC g * nics / gpus. More: "
              "NIC k serves GPU k * gpus / nics, and a GPU's messages are spread by the sum of sender and receiver.");
  t.required("nic", &NodeSpec::nic, object(cable_table()), "The cable of one NIC: nodeN.nicK.up and .down.");
  t.maybe("nic_total_bandwidth", &NodeSpec::nic_total, positive<ByteRate>(),
          "What a NIC sends and receives together, where both directions share its way into the machine: "
          "nodeN.nicK.both. Absent: each direction has its cable's.");
  t.maybe("nic_eager_limit", &NodeSpec::eager_limit, quantity<Bytes>(),
          "Messages of nccl and rccl with more bytes than that on the cable ask their receiver first (rendezvous, of "
          "Slingshot for one): two of their way's latencies more. Absent: none does. `protocol` is for all others.");
  t.defaulted("nic_source", &NodeSpec::nic_source, text(), "Where the NIC's values come from, for people.")
      .for_people();
  t.defaulted("near", &NodeSpec::near, list(some_nics()),
              "For each GPU the NIC that it uses, or a list of them. []: as `nics` says.");
  t.defaulted(
      "nic_seats", &NodeSpec::nic_seats, list(integer(0, NodeSpec::max_gpus - 1)),
      "For each NIC its PCIe switch, or its socket where there are no switches. []: where the first GPU is that "
      "uses it.");
  t.defaulted(
      "rails", &NodeSpec::rails, boolean(),
      "NIC k of every node is on switch k of its own. Between rails messages cross the spine (star), the core "
      "(racks) or higher levels (fat_tree: a leaf switch holds as many nodes as its `down` says, of one rail).");
  t.defaulted("rail_oversubscription", &NodeSpec::rail_oversubscription, number(0, unlimited, true),
              "Of a star: the cable between a rail's switch and the spine has nodes * nic.bandwidth divided by this.")
      .only([](const NodeSpec& n) { return n.rails; }, "rails");
  t.defaulted("sharp", &NodeSpec::sharp, boolean(), "The network's switch reduces; topology star only.");
}

} // namespace

const Table<NodeSpec>& node_table() {
  static const auto table = [] {
    Table<NodeSpec> t("node", "What is in a machine, and how it is joined to the network.");
    gpu_fields(t);
    host_fields(t);
    nic_fields(t);
    // Last: whether other keys apply does not depend on it.
    t.required("gpu", &NodeSpec::gpu, gpu_value(), "The GPUs' type: its name in the catalogue, or an object.");
    t.defaulted("source", &NodeSpec::source, text(), for_people_only).for_people();
    return t;
  }();
  return table;
}

} // namespace gradflight
