#include "scenarios/language/tables/tables.hpp"

#include "scenarios/language/fields/explained_number.hpp"
#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/tables/node_numbers.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

Value<bool> state() { return choice<bool>("a state", {{"down", false}, {"up", true}}); }

constexpr std::initializer_list<const char*> targets = {"link", "nodes", "nic", "switch", "gpu"};

bool of_nodes(const ChangeSpec& c) { return !c.nodes.empty(); }

/// Access to an optional name; empty if absent.
auto maybe_name(std::string ChangeSpec::*member) {
  return std::pair(
      [member](ChangeSpec& c, std::string name) { c.*member = std::move(name); },
      [member](const ChangeSpec& c) { return (c.*member).empty() ? std::nullopt : std::optional(c.*member); });
}

void check_target(const Node& written, Decoder& decoder) {
  int named = 0;
  for (const char* key : targets) named += written.find(key) != nullptr ? 1 : 0;
  if (named != 1)
    decoder.fail(written.position,
                 fmt::format("a change needs exactly one of \"link\", \"nodes\", \"nic\", \"switch\" and \"gpu\", {}",
                             named == 0 ? "but this one has none" : "but this one has several"));
}

void check_values(const ChangeSpec& c, const Node& written, Decoder& decoder) {
  const auto fail = [&](const char* key, const std::string& message) {
    const auto step = decoder.into(key);
    const Node* value = written.find(key);
    decoder.fail(value != nullptr ? value->position : written.position, message);
  };
  if (!c.bandwidth && !c.latency && !c.compute_speed && !c.up)
    decoder.fail(written.position,
                 "this change has no effect: it needs \"bandwidth\", \"latency\", \"compute_speed\" or \"state\"");
  if (c.bandwidth && c.bandwidth->value() <= 0)
    fail("bandwidth", "bandwidth must be above zero; to take a link down, set \"state\": \"down\"");
  const bool computes = of_nodes(c) || c.gpu;
  if (c.compute_speed && !computes) fail("compute_speed", "allowed only with \"nodes\" or \"gpu\"");
  if (c.gpu && c.bandwidth) fail("bandwidth", "a GPU has no bandwidth or latency of its own: name its NIC or a link");
  if (c.gpu && c.latency) fail("latency", "a GPU has no bandwidth or latency of its own: name its NIC or a link");
  if (c.period && c.period->value() <= c.at.value())
    fail("period", fmt::format("a period of {:.6g} s must be longer than {:.6g} s, the time of the change in it",
                               c.period->value(), c.at.value()));
}

const Table<ChangeSpec>& change_table() {
  static const auto table = [] {
    Table<ChangeSpec> t(
        "change", "A change during the run: something becomes slower or faster, or goes down or up (docs/changes.md).");
    t.required("at", &ChangeSpec::at, quantity<Seconds>(),
               "Time of the change since the start of the run; at least that of the entry before. What ends at this "
               "instant ends first.");
    const auto [put_link, take_link] = maybe_name(&ChangeSpec::link);
    t.custom<std::string>(
        "link", text(), put_link, take_link,
        "Target: a link in one direction, by its name in the link table of the result (\"node3.up\").");
    t.custom<std::vector<int>>(
        "nodes", node_numbers(), [](ChangeSpec& c, std::vector<int> nodes) { c.nodes = std::move(nodes); },
        [](const ChangeSpec& c) { return c.nodes.empty() ? std::nullopt : std::optional(c.nodes); },
        "Target: the NIC cables of these nodes in both directions (in a graph, every link at them) and their GPUs: 3, "
        "[1, 2] or \"0-3,7\".");
    const auto [put_nic, take_nic] = maybe_name(&ChangeSpec::nic);
    t.custom<std::string>(
        "nic", text(), put_nic, take_nic,
        "Target: the cable of a NIC in both directions: \"node3\", or \"node3.nic1\" where nodes have several NICs.");
    const auto [put_switch, take_switch] = maybe_name(&ChangeSpec::switch_name);
    t.custom<std::string>(
        "switch", text(), put_switch, take_switch,
        "Target: every link at a switch: \"switch\" (star), \"rack0\" (racks), \"sw1-0\" (fat tree: level, number), "
        "\"router0\" (torus), \"group0.router0\" (dragonfly), or a name of the graph.");
    t.maybe("gpu", &ChangeSpec::gpu, integer(0, max_ranks - 1), "Target: a GPU by its number on the platform.");
    t.maybe("bandwidth", &ChangeSpec::bandwidth, quantity<ByteRate>(),
            "New bandwidth of these links; it applies at once, also to messages under way. Absent: unchanged.");
    t.maybe("latency", &ChangeSpec::latency, quantity<Seconds>(),
            "New latency of these links, for messages that start from then on. Absent: unchanged.");
    t.maybe("compute_speed", &ChangeSpec::compute_speed,
            explained_number({.min = 0, .above_min = true}, "to take a node or GPU down, set \"state\": \"down\""),
            "New compute speed of these GPUs, also for passes under way. 1: the speed of the workload; 0.5: half as "
            "fast. Absent: unchanged.");
    t.maybe("state", &ChangeSpec::up, state(),
            "down: these links carry nothing and messages on them wait, and GPUs of these nodes compute nothing. up: "
            "they continue where they stopped. Absent: unchanged.");
    t.maybe("period", &ChangeSpec::period, positive<Seconds>(),
            "The change repeats with this period. All changes of one target must have the same period. Absent: the "
            "change happens once.");
    t.finally([](const ChangeSpec& c, const Node& written, Decoder& decoder) {
      check_target(written, decoder);
      check_values(c, written, decoder);
    });
    return t;
  }();
  return table;
}

} // namespace

Value<std::vector<ChangeSpec>> changes_value() {
  auto value = list(object(change_table()));
  value.shape.rows_by_path = true;
  value.read = [entries = value.read](const Node& node, Decoder& decoder) -> std::optional<std::vector<ChangeSpec>> {
    auto changes = entries(node, decoder);
    if (!changes) return std::nullopt;
    const auto before = decoder.count();
    for (std::size_t i = 1; i < changes->size(); ++i) {
      const double earlier = (*changes)[i - 1].at.value(), at = (*changes)[i].at.value();
      if (at >= earlier) continue;
      const auto entry = decoder.into(i);
      const auto key = decoder.into("at");
      decoder.fail(node.items[i].find("at")->position,
                   fmt::format("{:.6g} s is earlier than the entry before, at {:.6g} s; list changes in order of time",
                               at, earlier));
    }
    if (decoder.count() > before) return std::nullopt;
    return changes;
  };
  return value;
}

} // namespace gradflight
