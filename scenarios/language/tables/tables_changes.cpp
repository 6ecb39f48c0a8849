#include "scenarios/language/tables/tables_changes.hpp"

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/tables/node_numbers.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

Value<bool> state() { return choice<bool>("a state", {{"down", false}, {"up", true}}); }

constexpr std::initializer_list<const char*> targets = {"link", "nodes", "nic", "switch", "gpu"};

bool of_nodes(const ChangeSpec& c) { return !c.nodes.empty(); }

/// Empty where it is not said.
auto maybe_name(std::string ChangeSpec::*member) {
  return std::pair(
      [member](ChangeSpec& c, std::string name) { c.*member = std::move(name); },
      [member](const ChangeSpec& c) { return (c.*member).empty() ? std::nullopt : std::optional(c.*member); });
}

void check_target(const Node& written, Decoder& decoder) {
  int named = 0;
  for (const char* key : targets) named += written.find(key) != nullptr ? 1 : 0;
  if (named != 1)
    decoder.fail(written.position, fmt::format("a change is of one thing: one of link, nodes, nic, switch and gpu, {}",
                                               named == 0 ? "and none of them is here" : "not several at once"));
}

void check_values(const ChangeSpec& c, const Node& written, Decoder& decoder) {
  const auto fail = [&](const char* key, const std::string& message) {
    const auto step = decoder.into(key);
    const Node* value = written.find(key);
    decoder.fail(value != nullptr ? value->position : written.position, message);
  };
  if (!c.bandwidth && !c.latency && !c.compute_speed && !c.up)
    decoder.fail(written.position, "this change changes nothing: it needs bandwidth, latency, compute_speed or state");
  if (c.bandwidth && c.bandwidth->value() <= 0)
    fail("bandwidth", "0 is no bandwidth: a link that carries nothing is down; say \"state\": \"down\"");
  if (c.compute_speed && *c.compute_speed <= 0)
    fail("compute_speed", "0 is no speed: what does not compute is down; say \"state\": \"down\"");
  const bool computes = of_nodes(c) || c.gpu;
  if (c.compute_speed && !computes) fail("compute_speed", "it needs nodes or gpu: links do not compute");
  if (c.gpu && c.bandwidth) fail("bandwidth", "a GPU has none: name its nic or a link");
  if (c.gpu && c.latency) fail("latency", "a GPU has none: name its nic or a link");
  if (c.period && c.period->value() <= c.at.value())
    fail("period", fmt::format("a period of {:.6g} s is not longer than the change in it, at {:.6g} s",
                               c.period->value(), c.at.value()));
}

const Table<ChangeSpec>& change_table() {
  static const auto table = [] {
    Table<ChangeSpec> t("change", "Something becomes slower, faster, or goes down or up during the run "
                                  "(docs/changes.md).");
    t.required("at", &ChangeSpec::at, quantity<Seconds>(),
               "When, from the start of the run; not before the entry above. What ends at that instant ends first.");
    const auto [put_link, take_link] = maybe_name(&ChangeSpec::link);
    t.custom<std::string>("link", text(), put_link, take_link,
                          "What: a link in one direction, as the result's link table names it (\"node3.up\").");
    t.custom<std::vector<int>>(
        "nodes", node_numbers(), [](ChangeSpec& c, std::vector<int> nodes) { c.nodes = std::move(nodes); },
        [](const ChangeSpec& c) { return c.nodes.empty() ? std::nullopt : std::optional(c.nodes); },
        "What: the NICs' cables of these nodes, both directions (of a graph every link at them), and their GPUs: 3, "
        "[1, "
        "2] or \"0-3,7\".");
    const auto [put_nic, take_nic] = maybe_name(&ChangeSpec::nic);
    t.custom<std::string>("nic", text(), put_nic, take_nic,
                          "What: both directions of a NIC's cable: \"node3\", or \"node3.nic1\" where nodes have "
                          "several.");
    const auto [put_switch, take_switch] = maybe_name(&ChangeSpec::switch_name);
    t.custom<std::string>("switch", text(), put_switch, take_switch,
                          "What: every link at a switch: \"switch\" (star), \"rack0\" (racks), \"sw1-0\" (fat "
                          "tree: level, number), \"router0\" (torus), \"group0.router0\" (dragonfly), a graph's by its "
                          "name.");
    t.maybe("gpu", &ChangeSpec::gpu, integer(0, max_ranks - 1), "What: a GPU by its number on the platform.");
    t.maybe("bandwidth", &ChangeSpec::bandwidth, quantity<ByteRate>(),
            "Of these links, from then on: messages under way feel it at once. Absent: unchanged.");
    t.maybe("latency", &ChangeSpec::latency, quantity<Seconds>(),
            "Of these links, for messages that set out from then on. Absent: unchanged.");
    t.maybe("compute_speed", &ChangeSpec::compute_speed, number(0, unlimited),
            "Of these GPUs, from then on, for passes under way, too. 1: as the workload says; 0.5: half as fast. "
            "Absent: unchanged.");
    t.maybe("state", &ChangeSpec::up, state(),
            "down: these links carry nothing, and messages on them wait; GPUs of such nodes compute nothing. up: they "
            "go on where they were. Absent: unchanged.");
    t.maybe("period", &ChangeSpec::period, positive<Seconds>(),
            "The change comes again after each such time, for ever. All changes of one thing repeat alike. Absent: "
            "once.");
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
                   fmt::format("time goes backwards: {:.6g} s after {:.6g} s of the entry before", at, earlier));
    }
    if (decoder.count() > before) return std::nullopt;
    return changes;
  };
  return value;
}

} // namespace gradflight
