#include "scenarios/language/tables/tables.hpp"

#include "scenarios/language/tables/node_numbers.hpp"
#include "scenarios/language/tables/tables_link.hpp"
#include "scenarios/language/tables/tables_network.hpp"
#include "scenarios/language/tables/tables_nic.hpp"
#include "scenarios/language/tables/tables_node.hpp"

#include <algorithm>

namespace gradflight {

namespace {

const Table<IntraNodeSpec>& intra_node_table() {
  static const auto table = [] {
    Table<IntraNodeSpec> t("intra_node", "How the GPUs of a node reach each other and the NIC they share.");
    const auto wired = [](const IntraNodeSpec& i) { return i.kind != IntraKind::none; };
    const auto pcie = [](const IntraNodeSpec& i) { return i.kind == IntraKind::pcie; };
    t.required("kind", &IntraNodeSpec::kind,
               choice<IntraKind>("a kind of node",
                                 {{"none", IntraKind::none}, {"pcie", IntraKind::pcie}, {"nvlink", IntraKind::nvlink}}),
               "none: the GPUs sit on the NIC and exchange data among themselves for free. pcie: switches under a root "
               "complex. nvlink: a cable between each pair of GPUs.");
    t.required("link", &IntraNodeSpec::link, object(cable_table()),
               "pcie: between a GPU and its PCIe switch. nvlink: between two GPUs.")
        .only(wired, "kind pcie or nvlink");
    t.defaulted("gpus_per_switch", &IntraNodeSpec::gpus_per_switch, integer(0, max_ranks),
                "GPUs on one PCIe switch; 0: all of a node.")
        .only(pcie, "kind pcie");
    t.maybe("uplink", &IntraNodeSpec::uplink, object(special_link_table()),
            "pcie: between a switch and the root complex. nvlink: a GPU's way to the NIC. Absent: as `link`.")
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
    t.defaulted("distribution", &Jitter::distribution,
                choice<Jitter::Distribution>("a distribution", {{"exponential", Jitter::Distribution::exponential},
                                                                {"normal", Jitter::Distribution::normal}}),
                "exponential: most are a little fast, few are late. normal: as often fast as slow.");
    t.defaulted("seed", &Jitter::seed, integer64(0, std::numeric_limits<std::int64_t>::max()),
                "Of the random numbers; the same seed gives the same times.");
    return t;
  }();
  return table;
}

/// `overrides` is one list in JSON: an entry changes either some nodes or one link.
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
            "1: as the workload says; 0.5: computing takes twice as long. Absent: 1.")
        .only(on_nodes, "an override of nodes");
    t.maybe("reduce_bandwidth", node(&NodeOverride::reduce_bandwidth), positive<ByteRate>(),
            "Of these nodes. Absent: the platform's.")
        .only(on_nodes, "an override of nodes");
    t.maybe("bandwidth", node(&NodeOverride::bandwidth), positive<ByteRate>(),
            "Of these nodes' NIC cables (both directions), or of the link. Absent: unchanged.");
    t.maybe("egress_bandwidth", node(&NodeOverride::egress), positive<ByteRate>(),
            "Of these nodes' NIC cables, away from the node. Absent: unchanged.")
        .only(on_nodes, "an override of nodes");
    t.maybe("ingress_bandwidth", node(&NodeOverride::ingress), positive<ByteRate>(),
            "Of these nodes' NIC cables, towards the node. Absent: unchanged.")
        .only(on_nodes, "an override of nodes");
    t.maybe("latency", node(&NodeOverride::latency), quantity<Seconds>(),
            "Of these nodes' NIC cables, or of the link. Absent: unchanged.");
    t.finally([](const OverrideForm& f, const Node& written, Decoder& decoder) {
      const auto& n = f.node;
      if (!n.compute_speed && !n.reduce_bandwidth && !n.bandwidth && !n.egress && !n.ingress && !n.latency)
        decoder.fail(written.position, "this override changes nothing");
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
    Table<ProtocolSpec> t("protocol", "How messages are carried. The defaults are Open MPI's over TCP and Ethernet.");
    t.defaulted("eager_limit", &ProtocolSpec::eager_limit, quantity<Bytes>(),
                "Messages that are larger, their header counted, wait until the receiver has asked for them "
                "(rendezvous): two messages without payload go ahead, and a request waits behind data on the same "
                "connection.");
    t.defaulted("header", &ProtocolSpec::header, quantity<Bytes>(),
                "A message's header, counted against the eager limit: 65,480 B is the largest message that Open MPI "
                "4.1 sends unasked. It takes no time on the links.");
    t.defaulted(
        "announcements", &ProtocolSpec::announcements,
        choice<Announcements>("what happens in a race",
                              {{"apart", Announcements::apart}, {"cross", Announcements::cross}}),
        "Two ranks that come from exchanges with others announce large messages to each other at times that only "
        "jitter tells apart. apart: one is first, and the other's data wait behind its own. cross: data flow "
        "both ways where the simulated times allow it. `run` tells the time of the other choice where it differs.");
    t.defaulted("frame", &ProtocolSpec::frame, positive<Bytes>(),
                "A full frame, as the links' bandwidth counts it: an MTU of 1500 and 14 bytes of Ethernet header.");
    t.defaulted("frame_payload", &ProtocolSpec::frame_payload, positive<Bytes>(),
                "What a frame carries of a message: links have bandwidth * frame_payload / frame for payload.");
    t.defaulted("acknowledgement", &ProtocolSpec::acknowledgement, quantity<Bytes>(),
                "An acknowledgement's frame; it loads the way back.");
    t.defaulted("frames_per_acknowledgement", &ProtocolSpec::frames_per_acknowledgement, integer(1, max_ranks),
                "Frames received for each acknowledgement sent.");
    t.defaulted("window", &ProtocolSpec::window, quantity<Bytes>(),
                "Bytes that a connection sends ahead (TCP's initial window).");
    t.defaulted(
        "send_buffer", &ProtocolSpec::send_buffer, quantity<Bytes>(),
        "Bytes that fit a sender's buffer; as many windows as it is at first. A sender goes on once the rest of "
        "its message fits, and its next message waits for its turn on the link. Less than the window counts as "
        "the window.");
    t.defaulted("slow_start", &ProtocolSpec::slow_start, quantity<Seconds>(),
                "The window grows by what has arrived until data wait so long on the link (HyStart's threshold), but "
                "at least to 16 frames. 0s: it stays.");
    t.defaulted("burst", &ProtocolSpec::burst, quantity<Bytes>(),
                "Bytes that pass a network link at once where it has been idle (a token bucket's depth); credit comes "
                "back at the link's bandwidth.");
    t.defaulted("efficiency", &ProtocolSpec::efficiency, number(0, 1, true),
                "Share of the payload rate that long transfers attain.");
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
    t.defaulted("name", &PlatformSpec::name, text(), "For people.").for_people();
    t.defaulted("source", &PlatformSpec::source, text(), "Where the values come from, for people.").for_people();
    t.info.catalogue_key = "machine";
    t.info.catalogue_folders = {"platforms/machines"};
    t.custom<std::string>(
         "machine", text(), [](PlatformSpec& p, std::string name) { p.machine = std::move(name); },
         [](const PlatformSpec&) { return std::optional<std::string>(); },
         "A machine of the catalogue to start from (`gradflight explain platform` lists them); the other keys change "
         "it. "
         "A text in place of the platform that neither ends in .json nor contains / is such a name, too. Absent: none.")
        .for_people();
    t.required("nodes", &PlatformSpec::nodes, integer(1, max_ranks),
               "Machines with GPUs. Servers of a parameter server come on top unless they are colocated.");
    t.custom<NodeSpec>(
        "node", object(node_table()),
        [](PlatformSpec& platform, NodeSpec node) {
          platform.gpus_per_node = node.gpus;
          platform.node = std::move(node);
        },
        [](const PlatformSpec& platform) { return platform.node; },
        "What is in a node: GPUs and their links, PCIe, NICs. It replaces gpus_per_node, intra_node and network.link. "
        "Absent: these say it.");
    const auto plain = [](const PlatformSpec& p) { return !p.node; };
    t.defaulted("gpus_per_node", &PlatformSpec::gpus_per_node, integer(1, max_ranks),
                "Each GPU is a worker (a rank); those of a node share its NIC.")
        .only(plain, "a platform without \"node\", which says \"gpus\"");
    t.required("network", &PlatformSpec::network, object(network_table()), "How the nodes are joined.");
    t.instead("node", &PlatformSpec::network, object(node_network_table()),
              [](const PlatformSpec& p) { return p.node.has_value(); });
    t.defaulted("intra_node", &PlatformSpec::intra_node, object(intra_node_table()),
                "How the GPUs of a node reach each other and the NIC.")
        .only(plain, "a platform without \"node\", which says \"intra\"");
    t.defaulted("message_overhead", &PlatformSpec::message_overhead, quantity<Seconds>(),
                "Added to alpha of every message that leaves its rank: pure latency.");
    t.maybe("reduce_bandwidth", &PlatformSpec::reduce_bandwidth, positive<ByteRate>(),
            "1/gamma: bytes of a received operand reduced per second. Absent: reduction is free.");
    t.maybe("message_bytes", &PlatformSpec::message_bytes, quantity<Bytes>(),
            "What a message that leaves its rank's place carries beside its data, after compression: names, headers, "
            "the acknowledgements of a remote call. Absent: nothing.");
    t.maybe("jitter", &PlatformSpec::jitter, object(jitter_table()),
            "Forward and backward passes of the ranks take unequal times. Absent: always the same.");
    t.maybe(
        "rate_while_computing", &PlatformSpec::rate_while_computing, number(0, 1, true),
        "Communication kernels share the GPU and its bus with the passes: a message that sets out while the GPU of its "
        "sender or receiver is in a forward or backward pass takes 1 / this as long. Absent: 1.");
    t.maybe("protocol", &PlatformSpec::protocol, object(protocol_table()),
            "What carrying messages over the network costs beyond bytes and latency. Absent: nothing.");
    t.maybe("nic", &PlatformSpec::nic, object(nic_table()),
            "The compressor in the NICs, used by a codec with placement nic. Absent: INCEPTIONN's.");
    t.custom<std::vector<OverrideForm>>("overrides", list(object(override_table())), put_overrides, take_overrides,
                                        "Slow nodes, slow links: changes in order, later ones win.");
    t.info.fields.back().default_text = "[]";
    return t;
  }();
  return table;
}

} // namespace gradflight
