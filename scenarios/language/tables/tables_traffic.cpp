#include "scenarios/language/tables/tables.hpp"

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/tables/node_numbers.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

using Pattern = TrafficSpec::Pattern;
using Arrivals = TrafficSpec::Arrivals;
using SizeKind = FlowSizes::Kind;

bool on_off(const TrafficSpec& t) { return t.arrivals == Arrivals::on_off; }
bool no_phases(const TrafficSpec& t) { return !on_off(t); }
bool arrives(const TrafficSpec& t) { return t.arrivals != Arrivals::once; }

/// Whether the traffic uses random numbers.
bool draws(const TrafficSpec& t) {
  if (t.sizes || t.pattern == Pattern::permutation || t.arrivals == Arrivals::poisson) return true;
  if (on_off(t)) return !t.constant_phases;
  const bool one_sender = t.from.outside || t.from.nodes.size() == 1 || t.pattern == Pattern::incast;
  return arrives(t) && !(one_sender && (t.to.outside || t.to.nodes.size() == 1));
}

/// Nodes, or the outside of the network.
Value<TrafficEnd> traffic_end() {
  auto outside = mapped<std::size_t, TrafficEnd>(
      name_of("a place", {"outside"}),
      [](std::size_t) {
        TrafficEnd end;
        end.outside = true;
        return end;
      },
      [](const TrafficEnd&) { return std::size_t{0}; });
  auto nodes = mapped<std::vector<int>, TrafficEnd>(
      node_numbers(),
      [](std::vector<int> numbers) {
        return TrafficEnd{std::move(numbers), false};
      },
      [](const TrafficEnd& end) { return end.nodes; });
  nodes.show = [many = nodes.show](const TrafficEnd& end) {
    return end.nodes.size() == 1 ? Node::of(std::int64_t{end.nodes.front()}) : many(end);
  };
  return either<TrafficEnd>(
      outside, nodes, [](const Node& node) { return is_text(node) && node.text == "outside"; },
      [](const TrafficEnd& end) { return end.outside; });
}

const Table<SizePoint>& point_table() {
  static const auto table = [] {
    Table<SizePoint> t("size_point", "A point of a size distribution: the share of flows up to a size.");
    t.required("bytes", &SizePoint::bytes, positive<Bytes>(), "A flow's size.");
    t.required("share", &SizePoint::share, number(0, 1), "Share of the flows that are at most this large.");
    return t;
  }();
  return table;
}

void check_points(const FlowSizes& sizes, const Node& written, Decoder& decoder) {
  if (sizes.kind != SizeKind::points) return;
  const Node* points = written.find("points");
  if (points == nullptr) return;
  const auto step = decoder.into("points");
  for (std::size_t i = 1; i < sizes.points.size(); ++i) {
    const SizePoint &before = sizes.points[i - 1], &point = sizes.points[i];
    if (point.bytes.value() > before.bytes.value() && point.share > before.share) continue;
    const auto entry = decoder.into(i);
    decoder.fail(points->items[i].position, "\"bytes\" and \"share\" must both be above those of the point before");
  }
  if (sizes.points.back().share != 1) decoder.fail(points->position, "the \"share\" of the last point must be 1");
}

const Table<FlowSizes>& sizes_table() {
  static const auto table = [] {
    Table<FlowSizes> t("flow_sizes", "The distribution of flow sizes (docs/traffic.md).");
    t.required("distribution", &FlowSizes::kind,
               choice<SizeKind>("a distribution", {{"web-search", SizeKind::web_search},
                                                   {"data-mining", SizeKind::data_mining},
                                                   {"exponential", SizeKind::exponential},
                                                   {"pareto", SizeKind::pareto},
                                                   {"points", SizeKind::points}}),
               "web-search, data-mining: measured in datacenters (DCTCP, VL2; mean 1.7 and 7.5 MB). points: your own.");
    const auto has_mean = [](const FlowSizes& s) {
      return s.kind == SizeKind::exponential || s.kind == SizeKind::pareto;
    };
    t.required("mean", &FlowSizes::mean, positive<Bytes>(), "Mean flow size.")
        .only(has_mean, "distribution exponential or pareto");
    t.defaulted("shape", &FlowSizes::shape, number(1.001, 100),
                "Shape of the Pareto distribution. The closer to 1, the more bytes are in a few large flows.")
        .only([](const FlowSizes& s) { return s.kind == SizeKind::pareto; }, "distribution pareto");
    t.required("points", &FlowSizes::points, list(object(point_table()), 1),
               "Points in order of size; the last has share 1. Values between points are interpolated linearly.")
        .only([](const FlowSizes& s) { return s.kind == SizeKind::points; }, "distribution points");
    t.finally(check_points);
    return t;
  }();
  return table;
}

Value<FlowSizes> flow_sizes() {
  const auto catalogued = [](const FlowSizes& s) {
    return s.kind == SizeKind::web_search || s.kind == SizeKind::data_mining;
  };
  auto named = mapped<SizeKind, FlowSizes>(
      choice<SizeKind>("a distribution",
                       {{"web-search", SizeKind::web_search}, {"data-mining", SizeKind::data_mining}}),
      [](SizeKind kind) { return FlowSizes{.kind = kind}; }, [](const FlowSizes& s) { return s.kind; });
  return either<FlowSizes>(std::move(named), object(sizes_table()), is_text, catalogued);
}

void check_entry(const TrafficSpec& t, const Node& written, Decoder& decoder) {
  const auto fail = [&](const char* key, const std::string& message) {
    const auto step = decoder.into(key);
    const Node* value = written.find(key);
    decoder.fail(value != nullptr ? value->position : written.position, message);
  };
  if (t.bytes && t.sizes) fail("sizes", "\"bytes\" already gives the size of each flow: leave one of them out");
  if (!t.sized() && (t.arrivals == Arrivals::periodic || t.arrivals == Arrivals::poisson))
    fail("arrivals", "arrivals \"periodic\" and \"poisson\" need \"bytes\" or \"sizes\"");
  if (t.on && t.on->value() >= t.every.value())
    fail("on",
         fmt::format("\"on\" ({:.6g} s) must be shorter than \"every\" ({:.6g} s)", t.on->value(), t.every.value()));
  if (t.stop && t.stop->value() <= t.start.value())
    fail("stop", fmt::format("{:.6g} s must be after the start, {:.6g} s", t.stop->value(), t.start.value()));
  if (t.from.outside && t.to.outside) fail("to", "a flow from outside to outside crosses no link of this platform");
  if (t.pattern == Pattern::permutation && (t.from.outside || t.to.outside))
    fail("pattern", "a permutation needs nodes at both ends, not \"outside\"");
  const auto one = [](const TrafficEnd& end) { return end.nodes.size() == 1 ? end.nodes.front() : -1; };
  if (one(t.from) >= 0 && one(t.from) == one(t.to)) fail("to", "a flow from a node to itself crosses no link");
}

const Table<TrafficSpec>& traffic_table() {
  static const auto table = [] {
    Table<TrafficSpec> t(
        "traffic",
        "Flows of other users. Each takes its share of every link on its route (docs/traffic.md). Without bytes, rate "
        "and arrivals: a TCP flow that always has data to send, from the start to the end of the run.");
    t.defaulted("name", &TrafficSpec::name, text(),
                "Name of the entry in messages. Absent: \"flow0\", \"flow1\", ... in order.");
    const auto end = [&t](const char* key, TrafficEnd TrafficSpec::*member, const std::string& doc) {
      t.custom<TrafficEnd>(
          key, traffic_end(), [member](TrafficSpec& s, TrafficEnd e) { s.*member = std::move(e); },
          [member](const TrafficSpec& s) {
            const TrafficEnd& e = s.*member;
            return e.outside || !e.nodes.empty() ? std::optional(e) : std::nullopt;
          },
          doc);
    };
    end("from", &TrafficSpec::from,
        "The sending nodes: 3, [1, 2] or \"0-3,7\"; servers are numbered after the nodes. \"outside\": beyond the "
        "topmost switches of a star, racks or a fat tree. Absent: every node except servers.");
    end("to", &TrafficSpec::to, "The receiving nodes, like `from`.");
    t.defaulted("pattern", &TrafficSpec::pattern,
                choice<Pattern>(
                    "a pattern",
                    {{"pairs", Pattern::pairs}, {"incast", Pattern::incast}, {"permutation", Pattern::permutation}}),
                "pairs: from each sender to each receiver; an arrival is from one random sender to one random "
                "receiver. incast: all senders at once to one receiver, drawn for each arrival. permutation: each "
                "sender to its own receiver, drawn once.");
    t.defaulted("arrivals", &TrafficSpec::arrivals,
                choice<Arrivals>("a way to arrive", {{"once", Arrivals::once},
                                                     {"periodic", Arrivals::periodic},
                                                     {"poisson", Arrivals::poisson},
                                                     {"on_off", Arrivals::on_off}}),
                "once: flows begin at the start. periodic, poisson: flows arrive one after another. on_off: each flow "
                "alternates between sending and pausing.");
    t.required("every", &TrafficSpec::every, positive<Seconds>(),
               "periodic: time between arrivals. poisson: mean time between arrivals. on_off: mean length of one "
               "sending and one pause together.")
        .only(arrives, "arrivals periodic, poisson or on_off");
    t.maybe("on", &TrafficSpec::on, positive<Seconds>(), "Mean length of a sending phase. Absent: half of `every`.")
        .only(on_off, "arrivals on_off");
    t.defaulted("phases", &TrafficSpec::constant_phases,
                choice<bool>("a way", {{"exponential", false}, {"constant", true}}),
                "Lengths of sending and pauses: drawn around their means, or always the means.")
        .only(on_off, "arrivals on_off");
    t.maybe("bytes", &TrafficSpec::bytes, positive<Bytes>(),
            "Size of each flow. Without `bytes` and `sizes`, a flow continues until it is stopped.")
        .only(no_phases, "arrivals once, periodic or poisson");
    t.maybe("sizes", &TrafficSpec::sizes, flow_sizes(), "Instead of `bytes`: a distribution of sizes, or its name.")
        .only(no_phases, "arrivals once, periodic or poisson");
    t.maybe("rate", &TrafficSpec::rate, positive<ByteRate>(),
            "Upper limit of the rate of a flow. Absent: its fair share of the links.");
    t.defaulted("start", &TrafficSpec::start, quantity<Seconds>(), "Start of the flows on the simulated clock.");
    t.maybe("stop", &TrafficSpec::stop, positive<Seconds>(),
            "No flow starts after this time, and flows without a size end. Absent: the end of the run.");
    t.maybe("flows", &TrafficSpec::flows, integer64(1, 1'000'000'000'000),
            "Total number of flows; flows beyond the number of pairs use the pairs again. Absent: one per pair, or "
            "unlimited arrivals.");
    t.defaulted("seed", &TrafficSpec::seed, integer64(0, 1'000'000'000'000'000),
                "Seed of the random draws; the same seed gives the same flows on every machine.")
        .only(draws, "something to draw: arrivals poisson or on_off, sizes, a permutation, or arrivals at several "
                     "nodes");
    t.finally(check_entry);
    return t;
  }();
  return table;
}

} // namespace

Value<std::vector<TrafficSpec>> traffic_value() {
  return mapped<std::vector<TrafficSpec>, std::vector<TrafficSpec>>(
      list(object(traffic_table())),
      [](std::vector<TrafficSpec> entries) {
        for (std::size_t i = 0; i < entries.size(); ++i)
          if (entries[i].name.empty()) entries[i].name = fmt::format("flow{}", i);
        return entries;
      },
      [](const std::vector<TrafficSpec>& entries) { return entries; });
}

} // namespace gradflight
