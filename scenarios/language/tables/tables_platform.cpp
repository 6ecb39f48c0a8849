#include "scenarios/language/tables/tables.hpp"

#include "scenarios/language/tables/node_numbers.hpp"
#include "scenarios/language/tables/tables_link.hpp"

#include <algorithm>

namespace gradflight {

namespace {

const Table<IntraNodeSpec>& intra_node_table() {
  static const auto table = [] {
    Table<IntraNodeSpec> t("intra_node", "How the GPUs of a node are connected to each other and to their shared NIC.");
    const auto wired = [](const IntraNodeSpec& i) { return i.kind != IntraKind::none; };
    const auto pcie = [](const IntraNodeSpec& i) { return i.kind == IntraKind::pcie; };
    t.required("kind", &IntraNodeSpec::kind,
               choice<IntraKind>("a kind of node",
                                 {{"none", IntraKind::none}, {"pcie", IntraKind::pcie}, {"nvlink", IntraKind::nvlink}}),
               "none: the GPUs are directly on the NIC, and messages among them take no time. pcie: PCIe switches "
               "under a root complex. nvlink: a cable between each pair of GPUs.");
    t.required("link", &IntraNodeSpec::link, object(cable_table()),
               "pcie: the link between a GPU and its PCIe switch. nvlink: the link between two GPUs.")
        .only(wired, "kind pcie or nvlink");
    t.defaulted("gpus_per_switch", &IntraNodeSpec::gpus_per_switch, integer(0, max_ranks),
                "Number of GPUs on one PCIe switch; 0: all of a node.")
        .only(pcie, "kind pcie");
    t.maybe("uplink", &IntraNodeSpec::uplink, object(special_link_table()),
            "pcie: the link between a switch and the root complex. nvlink: the link between a GPU and the NIC. Absent: "
            "like `link`.")
        .only(wired, "kind pcie or nvlink");
    return t;
  }();
  return table;
}

const Table<Jitter>& jitter_table() {
  static const auto table = [] {
    Table<Jitter> t("jitter", "Random variation of compute times, drawn for each rank and iteration.");
    t.required("cv", &Jitter::cv, number(0, 1, true),
               "Coefficient of variation: the standard deviation over the mean of a pass's time; the mean stays.");
    t.defaulted(
        "distribution", &Jitter::distribution,
        choice<Jitter::Distribution>("a distribution", {{"exponential", Jitter::Distribution::exponential},
                                                        {"normal", Jitter::Distribution::normal}}),
        "exponential: most passes are a little fast and few are very slow. normal: passes are as often fast as slow.");
    t.defaulted("seed", &Jitter::seed, integer64(0, std::numeric_limits<std::int64_t>::max()),
                "Seed of the random numbers; the same seed gives the same times.");
    return t;
  }();
  return table;
}

/// `overrides` is one list in JSON: each entry changes either some nodes or one link.
struct OverrideForm {
  NodeOverride node{};
  std::string link{};
};

const Table<OverrideForm>& override_table() {
  static const auto table = [] {
    Table<OverrideForm> t("override", "A change to some nodes, or to one link, of an otherwise regular platform.");
    const auto on_nodes = [](const OverrideForm& f) { return f.link.empty(); };
    const auto node = [](auto member) {
      return [member](auto& f) -> auto& { return f.node.*member; };
    };
    t.custom<std::string>(
        "link", text(), [](OverrideForm& f, std::string name) { f.link = std::move(name); },
        [](const OverrideForm& f) { return f.link.empty() ? std::nullopt : std::optional(f.link); },
        "A link in one direction, as the result's link table names it: \"node3.up\", \"rack1.down\", ...");
    t.required("nodes", node(&NodeOverride::nodes), node_numbers(), "Which nodes: 3, [1, 2] or \"0-3,7\".")
        .only(on_nodes, "an override without link");
    t.maybe("compute_speed", node(&NodeOverride::compute_speed), number(0, unlimited, true),
            "1: compute times of the workload; 0.5: compute takes twice as long. Absent: 1.")
        .only(on_nodes, "an override of nodes");
    t.maybe("reduce_bandwidth", node(&NodeOverride::reduce_bandwidth), positive<ByteRate>(),
            "reduce_bandwidth of these nodes. Absent: that of the platform.")
        .only(on_nodes, "an override of nodes");
    t.maybe("bandwidth", node(&NodeOverride::bandwidth), positive<ByteRate>(),
            "Bandwidth of the NIC cables of these nodes (both directions), or of the link. Absent: unchanged.");
    t.maybe("egress_bandwidth", node(&NodeOverride::egress), positive<ByteRate>(),
            "Bandwidth of the NIC cables of these nodes, away from the node. Absent: unchanged.")
        .only(on_nodes, "an override of nodes");
    t.maybe("ingress_bandwidth", node(&NodeOverride::ingress), positive<ByteRate>(),
            "Bandwidth of the NIC cables of these nodes, towards the node. Absent: unchanged.")
        .only(on_nodes, "an override of nodes");
    t.maybe("latency", node(&NodeOverride::latency), quantity<Seconds>(),
            "Latency of the NIC cables of these nodes, or of the link. Absent: unchanged.");
    t.finally([](const OverrideForm& f, const Node& written, Decoder& decoder) {
      const auto& n = f.node;
      if (!n.compute_speed && !n.reduce_bandwidth && !n.bandwidth && !n.egress && !n.ingress && !n.latency)
        decoder.fail(written.position, "this override has no effect; give it a value to change");
    });
    return t;
  }();
  return table;
}

void put_overrides(PlatformSpec& platform, const std::vector<OverrideForm>& forms) {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto& form = forms[i];
    const auto entry = static_cast<int>(i);
    if (form.link.empty()) {
      platform.node_overrides.push_back(form.node);
      platform.node_overrides.back().entry = entry;
    } else {
      platform.link_overrides.push_back({form.link, form.node.bandwidth, form.node.latency, entry});
    }
  }
}

std::optional<std::vector<OverrideForm>> take_overrides(const PlatformSpec& platform) {
  std::vector<OverrideForm> forms;
  for (const auto& node : platform.node_overrides) forms.emplace_back().node = node;
  for (const auto& link : platform.link_overrides) {
    auto& form = forms.emplace_back();
    form.link = link.link;
    form.node.bandwidth = link.bandwidth;
    form.node.latency = link.latency;
    form.node.entry = link.entry;
  }
  std::ranges::stable_sort(forms, {}, [](const OverrideForm& form) { return form.node.entry; });
  return forms;
}

const Table<ProtocolSpec>& protocol_table() {
  static const auto table = [] {
    Table<ProtocolSpec> t("protocol",
                          "The transport protocol. The defaults are those of Open MPI over TCP and Ethernet.");
    t.defaulted("eager_limit", &ProtocolSpec::eager_limit, quantity<Bytes>(),
                "Larger messages, with their header, use rendezvous: they wait until the receiver asks for them. Two "
                "messages without payload precede them, and the request waits behind data on the same connection.");
    t.defaulted("header", &ProtocolSpec::header, quantity<Bytes>(),
                "Header of a message, which counts towards the eager limit: Open MPI 4.1 sends messages up to 65,480 B "
                "without rendezvous. It takes no time on the links.");
    t.defaulted(
        "announcements", &ProtocolSpec::announcements,
        choice<Announcements>("a way to settle a race",
                              {{"apart", Announcements::apart}, {"cross", Announcements::cross}}),
        "Two ranks may announce large messages to each other at nearly the same time, so that jitter decides which is "
        "first. apart: one is first, and the data of the other wait behind it. cross: data flow in both directions "
        "where the simulated times allow it. `run` also reports the time of the other choice if it differs.");
    t.defaulted(
        "frame", &ProtocolSpec::frame, positive<Bytes>(),
        "Size of a full frame, as the bandwidth of links counts it: an MTU of 1500 and 14 bytes of Ethernet header.");
    t.defaulted("frame_payload", &ProtocolSpec::frame_payload, positive<Bytes>(),
                "Payload of a frame: the payload bandwidth of a link is bandwidth * frame_payload / frame.");
    t.defaulted("acknowledgement", &ProtocolSpec::acknowledgement, quantity<Bytes>(),
                "Size of an acknowledgement frame, which uses the reverse direction.");
    t.defaulted("frames_per_acknowledgement", &ProtocolSpec::frames_per_acknowledgement, integer(1, max_ranks),
                "Number of received frames per acknowledgement.");
    t.defaulted("window", &ProtocolSpec::window, quantity<Bytes>(),
                "Bytes that a connection sends before the first acknowledgement (TCP's initial window).");
    t.defaulted("send_buffer", &ProtocolSpec::send_buffer, quantity<Bytes>(),
                "Size of the send buffer at the initial window, and at least that window; it grows in proportion to "
                "the window. A sender continues once the rest of its message fits; its next message waits for its turn "
                "on the link.");
    t.defaulted("slow_start", &ProtocolSpec::slow_start, quantity<Seconds>(),
                "The window grows with the data that arrive until data wait this long on the link (HyStart's "
                "threshold), but at least to 16 frames. 0s: it does not grow.");
    t.defaulted("burst", &ProtocolSpec::burst, quantity<Bytes>(),
                "Bytes that pass an idle network link at once (the depth of a token bucket); the bucket refills at the "
                "bandwidth of the link.");
    t.defaulted("efficiency", &ProtocolSpec::efficiency, number(0, 1, true),
                "Share of the payload rate that long transfers reach.");
    return t;
  }();
  return table;
}

} // namespace

const Table<PlatformSpec>& platform_table() {
  static const auto table = [] {
    Table<PlatformSpec> t("platform", "The cluster: nodes, what is in them, and the network between them.");
    t.info.extendable = t.info.by_path = true;
    t.info.kind = kind_field("platform");
    t.defaulted("name", &PlatformSpec::name, text(), "A name for readers.").for_people();
    t.defaulted("source", &PlatformSpec::source, text(), "Source of the values, for readers.").for_people();
    t.info.catalogue_key = "machine";
    t.info.catalogue_folders = {"platforms/machines"};
    t.custom<std::string>(
         "machine", text(), [](PlatformSpec& p, std::string name) { p.machine = std::move(name); },
         [](const PlatformSpec&) { return std::optional<std::string>(); },
         "A machine of the catalogue to start from (`gradflight explain platform` lists them); the other keys change "
         "it. A name may also replace the platform object, if it neither ends in .json nor contains /. Absent: none.")
        .for_people();
    t.required(
        "nodes", &PlatformSpec::nodes, integer(1, max_ranks),
        "Number of machines with GPUs. Servers of a parameter server are extra nodes unless they are colocated.");
    t.custom<NodeSpec>(
        "node", object(node_table()),
        [](PlatformSpec& platform, NodeSpec node) {
          platform.gpus_per_node = node.gpus;
          platform.node = std::move(node);
        },
        [](const PlatformSpec& platform) { return platform.node; },
        "The inside of a node: GPUs and their links, PCIe, NICs. It replaces gpus_per_node, intra_node and "
        "network.link. Absent: those keys apply.");
    const auto plain = [](const PlatformSpec& p) { return !p.node; };
    t.defaulted("gpus_per_node", &PlatformSpec::gpus_per_node, integer(1, max_ranks),
                "Number of GPUs of a node. Each GPU is a worker (a rank); the GPUs of a node share its NIC.")
        .only(plain, "a platform without \"node\", which says \"gpus\"");
    t.required("network", &PlatformSpec::network, object(network_table()), "How the nodes are joined.");
    t.instead("node", &PlatformSpec::network, object(node_network_table()),
              [](const PlatformSpec& p) { return p.node.has_value(); });
    t.defaulted("intra_node", &PlatformSpec::intra_node, object(intra_node_table()),
                "How the GPUs of a node are connected to each other and to the NIC.")
        .only(plain, "a platform without \"node\", which says \"intra\"");
    t.defaulted("message_overhead", &PlatformSpec::message_overhead, quantity<Seconds>(),
                "Latency added to every message that leaves its rank; part of alpha.");
    t.maybe("reduce_bandwidth", &PlatformSpec::reduce_bandwidth, positive<ByteRate>(),
            "1/gamma: bytes of a received operand that are reduced per second. Absent: reduction takes no time.");
    t.maybe("message_bytes", &PlatformSpec::message_bytes, quantity<Bytes>(),
            "Extra bytes of a message that leaves its rank, after compression: names, headers, acknowledgements of a "
            "remote call. Absent: none.");
    t.maybe("jitter", &PlatformSpec::jitter, object(jitter_table()),
            "Random variation of forward and backward times. Absent: none.");
    t.maybe("rate_while_computing", &PlatformSpec::rate_while_computing, number(0, 1, true),
            "Speed of communication beside compute, because communication kernels share the GPU and its bus. A message "
            "that starts while the GPU of its sender or receiver computes takes 1 / this as long. Absent: 1.");
    t.maybe("protocol", &PlatformSpec::protocol, object(protocol_table()),
            "The transport protocol and its costs beyond bytes and latency. Absent: no such costs.");
    t.maybe("nic", &PlatformSpec::nic, object(nic_table()),
            "The compressor in the NICs, used by a codec with placement nic. Absent: INCEPTIONN's.");
    t.custom<std::vector<OverrideForm>>("overrides", list(object(override_table())), put_overrides, take_overrides,
                                        "Changes to some nodes or links. Later entries override earlier ones.");
    t.info.fields.back().default_text = "[]";
    return t;
  }();
  return table;
}

} // namespace gradflight
