#include "scenarios/language/tables/tables.hpp"
#include "scenarios/language/tables/tables_changes.hpp"

#include <limits>

namespace gradflight {
namespace {

const Table<EngineSpec>& engine_table() {
  static const auto table = [] {
    Table<EngineSpec> t("engine", "The engine with its settings.");
    t.defaulted("kind", &EngineSpec::kind,
                choice<EngineKind>("an engine", {{"hybrid", EngineKind::hybrid}, {"simgrid", EngineKind::simgrid}}),
                "hybrid: fast. simgrid: every transfer a SimGrid communication; the reference.");
    t.defaulted("shortcuts", &EngineSpec::shortcuts, boolean(),
                "Allows symmetry and steady state to stand for messages that are then not simulated one by one.");
    return t;
  }();
  return table;
}

Value<EngineSpec> engine() {
  auto named = mapped<EngineKind, EngineSpec>(
      choice<EngineKind>("an engine", {{"hybrid", EngineKind::hybrid}, {"simgrid", EngineKind::simgrid}}),
      [](EngineKind kind) { return EngineSpec{.kind = kind}; }, [](const EngineSpec& e) { return e.kind; });
  return either<EngineSpec>(std::move(named), object(engine_table()), is_text, [](const EngineSpec&) { return false; });
}

const Table<Limits>& limits_table() {
  static const auto table = [] {
    Table<Limits> t("limits", "When to give up.");
    t.maybe("messages", &Limits::messages, integer64(1, std::numeric_limits<std::int64_t>::max()),
            "A scenario with more messages to simulate one by one is refused before anything is simulated; those that "
            "a shortcut stands for do not count. Absent: 10,000,000,000, which take hours.");
    t.maybe("simulated_time", &Limits::simulated_time, positive<Seconds>(),
            "The run fails when the simulated clock passes this. Absent: no limit.");
    t.maybe("wall_time", &Limits::wall_time, positive<Seconds>(),
            "The run fails when it has gone on for so long, and says what it has reached. Absent: no limit.");
    return t;
  }();
  return table;
}

const Table<TrafficSpec>& traffic_table() {
  static const auto table = [] {
    Table<TrafficSpec> t("traffic",
                         "A TCP flow beside the job that always has something to send: it takes its share of "
                         "every link on its way, from the start to the end of the run.");
    t.defaulted("name", &TrafficSpec::name, text(), "For messages. Absent: \"flow0\", \"flow1\", ... in order.");
    t.required("from", &TrafficSpec::from, integer(0, max_ranks - 1),
               "The node that sends; servers come after the nodes.");
    t.required("to", &TrafficSpec::to, integer(0, max_ranks - 1), "The node that receives.");
    return t;
  }();
  return table;
}

const Table<Expectation>& expectation_table() {
  static const auto table = [] {
    Table<Expectation> t("expectation", "What a golden scenario promises.");
    t.required("quantity", &Expectation::quantity, text(),
               "A number of the result: \"time_s\", \"breakdown.beta_s\", \"links.node0.up.busy_s\", ... "
               "(docs/regression.md).");
    t.required("value", &Expectation::value, number(-unlimited, unlimited), "In the unit that the key's name carries.");
    t.defaulted("tolerance", &Expectation::tolerance, number(0, unlimited),
                "A fraction of the value; 0: the same bits.");
    t.defaulted("why", &Expectation::why, text(), "What the number protects, and where it comes from.");
    return t;
  }();
  return table;
}

} // namespace

const Table<Scenario>& scenario_table() {
  static const auto table = [] {
    Table<Scenario> t("scenario", "A training job on a cluster.");
    t.info.extendable = true;
    t.info.kind = kind_field("scenario");
    t.defaulted("name", &Scenario::name, text(), "For people. Absent: the file's base name.").for_people();
    t.defaulted("description", &Scenario::description, text(), "For people.").for_people();
    t.required("platform", &Scenario::platform, object(platform_table()),
               "The cluster: an object, or the path of a file with one (relative to the file it is written in).");
    t.required("workload", &Scenario::workload, workload_value(),
               "The job's layers and gradients: an object, or the path of a file with one.");
    t.custom<TrainingForm>(
        "training", training_value(),
        [](Scenario& scenario, TrainingForm form) {
          scenario.phases = std::move(form.warmup);
          for (std::size_t i = 0; i < scenario.phases.size(); ++i)
            if (scenario.phases[i].name.empty()) scenario.phases[i].name = fmt::format("warmup{}", i);
          scenario.phases.push_back({"main", std::move(form.main)});
        },
        [](const Scenario& scenario) {
          auto warmup = scenario.phases;
          TrainingForm form{std::move(warmup.back().training), {}};
          warmup.pop_back();
          form.warmup = std::move(warmup);
          return std::optional(std::move(form));
        },
        "How the job trains.");
    t.info.fields.back().required = true;
    t.defaulted("engine", &Scenario::engine, engine(), "What simulates: \"hybrid\", \"simgrid\", or an object.");
    t.defaulted("placement", &Scenario::placement,
                choice<Placement>("a placement", {{"linear", Placement::linear}, {"cyclic", Placement::cyclic}}),
                "linear: ranks fill a node's GPUs first. cyclic: they go round the nodes.");
    t.custom<std::vector<TrafficSpec>>(
        "traffic", list(object(traffic_table())),
        [](Scenario& scenario, std::vector<TrafficSpec> flows) {
          scenario.traffic = std::move(flows);
          for (std::size_t i = 0; i < scenario.traffic.size(); ++i)
            if (scenario.traffic[i].name.empty()) scenario.traffic[i].name = fmt::format("flow{}", i);
        },
        [](const Scenario& scenario) {
          return scenario.traffic.empty() ? std::nullopt : std::optional(scenario.traffic);
        },
        "Other users of the network (docs/model.md says what such a flow lacks of a real one). [] or absent: none.");
    t.custom<std::vector<ChangeSpec>>(
        "changes", changes_value(),
        [](Scenario& scenario, std::vector<ChangeSpec> changes) { scenario.changes = std::move(changes); },
        [](const Scenario& scenario) {
          return scenario.changes.empty() ? std::nullopt : std::optional(scenario.changes);
        },
        "What becomes slower, faster, goes down or up, and when, in order of time. [] or absent: nothing.");
    t.defaulted("limits", &Scenario::limits, object(limits_table()), "When to give up.");
    t.defaulted("expect", &Scenario::expect, list(object(expectation_table())),
                "What `regress` checks. []: nothing yet, `regress --accept` fills it in.")
        .for_people();
    return t;
  }();
  return table;
}

} // namespace gradflight
