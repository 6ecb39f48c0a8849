#include "scenarios/language/tables/tables.hpp"

#include "scenarios/language/tables/tables_link.hpp"

#include <algorithm>

namespace gradflight {
namespace {

constexpr const char* for_people_only = "Source of the values, for readers.";

const Table<GpuType>& gpu_table() {
  static const auto table = [] {
    using enum GpuGeneration;
    Table<GpuType> t("gpu", "The properties of a GPU that matter for communication.");
    t.defaulted("name", &GpuType::name, text(), "A name for readers.").for_people();
    t.defaulted("links", &GpuType::links, integer(0, 1000), "Number of its NVLink or xGMI links.");
    const auto linked = [](const GpuType& g) { return g.links > 0; };
    t.required("link_rate", &GpuType::link_rate, positive<ByteRate>(),
               "Bandwidth of one of these links in one direction, by the data sheet.")
        .only(linked, "links");
    t.defaulted("link_efficiency", &GpuType::link_efficiency, number(0, 1, true),
                "Share of link_rate that the payload reaches.")
        .only(linked, "links");
    t.defaulted("pcie_generation", &GpuType::pcie_generation, integer(1, 6), "Generation of PCI Express to the host.");
    t.defaulted("pcie_lanes", &GpuType::pcie_lanes, integer(1, 32), "Number of PCI Express lanes.");
    t.defaulted("pcie_efficiency", &GpuType::pcie_efficiency, number(0, 1, true),
                "Share of the raw lane rate that the payload reaches. Types of the catalogue have 0.842: packets "
                "of 128 bytes of data and 24 of framing, header and checksum.");
    t.maybe("host_link", &GpuType::host_link, positive<ByteRate>(),
            "Payload bandwidth to the host in one direction, if not over PCI Express (NVLink-C2C). Absent: that of PCI "
            "Express.");
    t.required("generation", &GpuType::generation,
               choice<GpuGeneration>("a generation", {{"kepler", kepler},
                                                      {"pascal", pascal},
                                                      {"volta", volta},
                                                      {"ampere", ampere},
                                                      {"hopper", hopper},
                                                      {"blackwell", blackwell},
                                                      {"cdna2", cdna2},
                                                      {"cdna3", cdna3}}),
               "GPU generation, by which communication libraries choose algorithms.");
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
    Table<NodeLink> t("node_link", "A link inside a node, with equal directions.");
    t.maybe("bandwidth", &NodeLink::bandwidth, positive<ByteRate>(),
            "Payload bytes per second and direction. Absent: a default that depends on the kind of link.");
    t.defaulted("latency", &NodeLink::latency, quantity<Seconds>(),
                "One-way latency; the latencies on a route add up.");
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
              decoder.fail(node.position, "expected two GPUs and the number of links between them, such as [0, 1, 2]");
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
  t.required("gpus", &NodeSpec::gpus, integer(1, NodeSpec::max_gpus), "Number of GPUs of a node; each is a rank.");
  t.defaulted("intra", &NodeSpec::intra,
              choice<NodeFabric>("a way to join GPUs", {{"nvswitch", NodeFabric::nvswitch},
                                                        {"nvlink_mesh", NodeFabric::nvlink_mesh},
                                                        {"cube_mesh", NodeFabric::cube_mesh},
                                                        {"pcie", NodeFabric::pcie},
                                                        {"xgmi_mesh", NodeFabric::xgmi_mesh}}),
              "How GPUs are connected. nvswitch: each GPU has all its links to a non-blocking switch. nvlink_mesh, "
              "xgmi_mesh: each pair has its own links. cube_mesh: as in a DGX-1. pcie: no links. GPUs without a link "
              "between them use PCI Express.");
  const auto linked = [](const NodeSpec& n) { return n.intra != NodeFabric::pcie; };
  const auto meshed = [](const NodeSpec& n) {
    return n.intra == NodeFabric::nvlink_mesh || n.intra == NodeFabric::xgmi_mesh;
  };
  t.defaulted("link", &NodeSpec::link, object(inner_link_table()),
              "nvswitch: the link between a GPU and the switch; default bandwidth: all links of the GPU. Meshes: the "
              "cable between two GPUs; its bandwidth is that of one link, by default the GPU's link rate.")
      .only(linked, "intra other than pcie");
  t.info.fields.back().default_text = "{}";
  t.defaulted("pairs", &NodeSpec::pairs, list(pair_value()),
              "The connected pairs of GPUs with their number of links: [0, 1, 4]. []: all pairs, with links / (gpus - "
              "1) each.")
      .only(meshed, "intra nvlink_mesh or xgmi_mesh");
  t.defaulted("nvls", &NodeSpec::nvls, boolean(), "true: the NVSwitch reduces and multicasts.")
      .only([](const NodeSpec& n) { return n.intra == NodeFabric::nvswitch; }, "intra nvswitch");
}

void host_fields(Table<NodeSpec>& t) {
  t.defaulted(
      "cpu", &NodeSpec::cpu,
      choice<CpuVendor>(
          "a maker of processors",
          {{"intel", CpuVendor::intel}, {"amd", CpuVendor::amd}, {"arm", CpuVendor::arm}, {"power", CpuVendor::power}}),
      "Vendor of the processors. nccl includes their time to post a message to a NIC, and has tables for amd.");
  t.defaulted("sockets", &NodeSpec::sockets, integer(1, NodeSpec::max_gpus),
              "Number of processors. GPUs and PCIe switches are divided among them in blocks.");
  t.defaulted("gpu_sockets", &NodeSpec::gpu_sockets, list(integer(0, NodeSpec::max_gpus - 1)),
              "For each GPU, its socket; GPUs of a PCIe switch have the same one. []: in blocks of equal size.")
      .only([](const NodeSpec& n) { return n.sockets > 1; }, "two sockets or more");
  t.defaulted("pcie", &NodeSpec::pcie, object(inner_link_table()),
              "The link between a GPU and its PCIe switch or socket. Default bandwidth: that of the GPU to the host.");
  t.info.fields.back().default_text = "{}";
  t.defaulted("gpus_per_switch", &NodeSpec::gpus_per_switch, integer(0, NodeSpec::max_gpus),
              "Number of GPUs on one PCIe switch. 0: GPUs and NICs are directly at the sockets.");
  t.maybe("switch_uplink", &NodeSpec::switch_uplink, object(inner_link_table()),
          "The link between a PCIe switch and its socket. Absent: like `pcie`.")
      .only([](const NodeSpec& n) { return n.gpus_per_switch > 0; }, "gpus_per_switch above 0");
  t.maybe("socket_link", &NodeSpec::socket_link, object(inner_link_table()),
          "The link between each two sockets; it needs a bandwidth. Absent: sockets are not connected.")
      .only([](const NodeSpec& n) { return n.sockets > 1; }, "two sockets or more");
  t.defaulted("peer_to_peer", &NodeSpec::peer_to_peer, boolean(),
              "false: messages between GPUs over PCIe are copied through host memory.");
  t.defaulted("gpudirect", &NodeSpec::gpudirect, boolean(),
              "true: NICs read and write GPU memory. false: all their messages are copied through host memory.");
  t.defaulted("host_memory", &NodeSpec::host_memory, object(inner_link_table()),
              "Memory of a socket: bytes copied through it per second (each byte is written and read once).")
      .only([](const NodeSpec& n) { return n.copies(); }, "gpudirect false or peer_to_peer false");
  t.info.fields.back().default_text = "{}";
}

void nic_fields(Table<NodeSpec>& t) {
  t.defaulted("nics", &NodeSpec::nics, integer(1, NodeSpec::max_gpus),
              "Number of NICs of a node; extra nodes (servers) have one. With fewer NICs than GPUs, GPU g uses NIC g * "
              "nics / gpus. With more, NIC k serves GPU k * gpus / nics, and the messages of a GPU are spread by the "
              "sum of sender and receiver.");
  t.required("nic", &NodeSpec::nic, object(cable_table()), "The cable of one NIC: nodeN.nicK.up and .down.");
  t.maybe("nic_total_bandwidth", &NodeSpec::nic_total, positive<ByteRate>(),
          "Bandwidth of both directions of a NIC together, if they share its connection to the machine (link "
          "nodeN.nicK.both). Absent: each direction has the bandwidth of its cable.");
  t.maybe("nic_eager_limit", &NodeSpec::eager_limit, quantity<Bytes>(),
          "Larger messages of nccl and rccl use rendezvous, as on Slingshot. They are first announced to their "
          "receiver, which adds the latency of their route. Absent: no rendezvous. Other messages follow `protocol`.");
  t.defaulted("nic_source", &NodeSpec::nic_source, text(), "Source of the NIC's values, for readers.").for_people();
  t.defaulted("near", &NodeSpec::near, list(some_nics()),
              "For each GPU, its NIC or a list of its NICs. []: as described at `nics`.");
  t.defaulted("nic_seats", &NodeSpec::nic_seats, list(integer(0, NodeSpec::max_gpus - 1)),
              "For each NIC, its PCIe switch, or its socket if the node has no switches. []: that of the first GPU "
              "that uses the NIC.");
  t.defaulted("rails", &NodeSpec::rails, boolean(),
              "true: the NICs k of all nodes share a switch, rail k. Messages between rails cross the spine (star), "
              "the core (racks) or higher levels (fat_tree, where a leaf switch connects `down` nodes of one rail).");
  t.defaulted(
       "rail_oversubscription", &NodeSpec::rail_oversubscription, number(0, unlimited, true),
       "In a star, the bandwidth between a rail switch and the spine is nodes * nic.bandwidth divided by this number.")
      .only([](const NodeSpec& n) { return n.rails; }, "rails");
  t.defaulted("sharp", &NodeSpec::sharp, boolean(), "true: the network switch reduces (topology star only).");
}

} // namespace

const Table<NodeSpec>& node_table() {
  static const auto table = [] {
    Table<NodeSpec> t("node", "The inside of a machine, and its connection to the network.");
    gpu_fields(t);
    host_fields(t);
    nic_fields(t);
    // Last, because other keys do not depend on it.
    t.required("gpu", &NodeSpec::gpu, gpu_value(), "The GPUs' type: its name in the catalogue, or an object.");
    t.defaulted("source", &NodeSpec::source, text(), for_people_only).for_people();
    return t;
  }();
  return table;
}

} // namespace gradflight
