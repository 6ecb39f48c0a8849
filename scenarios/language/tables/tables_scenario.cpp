#include "scenarios/language/tables/tables.hpp"
#include "scenarios/language/tables/tables_changes.hpp"
#include "scenarios/language/tables/tables_failures.hpp"
#include "scenarios/language/tables/tables_traffic.hpp"

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
    t.custom<JobsForm>(
         "jobs", jobs_value(),
         [](Scenario& scenario, JobsForm form) {
           scenario.jobs = std::move(form.jobs);
           scenario.queue = std::move(form.queue);
         },
         [](const Scenario& scenario) {
           return scenario.one_job() ? std::nullopt : std::optional(JobsForm{scenario.jobs, scenario.queue});
         },
         "Several jobs at once, in place of `workload` and `training`; or a list of jobs that arrive and wait for "
         "GPUs, "
         "each of which trains these (docs/jobs.md).")
        .decides();
    const auto one_job = [](const Scenario& scenario) { return scenario.jobs.empty(); };
    const std::string no_jobs = "a scenario without \"jobs\", each of which has its own";
    t.required("workload", &Scenario::workload, workload_value(),
               "The job's layers and gradients: an object, or the path of a file with one.")
        .only(one_job, no_jobs);
    t.custom<TrainingForm>(
         "training", training_value(),
         [](Scenario& scenario, TrainingForm form) { scenario.phases = phases_of(std::move(form)); },
         [](const Scenario& scenario) { return training_form(scenario.phases); }, "How the job trains.")
        .only(one_job, no_jobs);
    t.info.fields.back().required = true;
    t.defaulted("engine", &Scenario::engine, engine(), "What simulates: \"hybrid\", \"simgrid\", or an object.");
    t.defaulted("placement", &Scenario::placement,
                choice<Placement>("a placement", {{"linear", Placement::linear}, {"cyclic", Placement::cyclic}}),
                "linear: ranks fill a node's GPUs first. cyclic: they go round the nodes.")
        .only([](const Scenario& scenario) { return scenario.one_job(); },
              "a scenario without \"jobs\", which have placements of their own");
    t.custom<std::vector<TrafficSpec>>(
        "traffic", traffic_value(),
        [](Scenario& scenario, std::vector<TrafficSpec> entries) { scenario.traffic = std::move(entries); },
        [](const Scenario& scenario) {
          return scenario.traffic.empty() ? std::nullopt : std::optional(scenario.traffic);
        },
        "Other users of the network. [] or absent: none.");
    t.custom<std::vector<ChangeSpec>>(
        "changes", changes_value(),
        [](Scenario& scenario, std::vector<ChangeSpec> changes) { scenario.changes = std::move(changes); },
        [](const Scenario& scenario) {
          return scenario.changes.empty() ? std::nullopt : std::optional(scenario.changes);
        },
        "What becomes slower, faster, goes down or up, and when, in order of time. [] or absent: nothing.");
    t.maybe("failures", &Scenario::failures, object(failures_table()), "What fails, drawn at random. Absent: nothing.");
    t.maybe("recovery", &Scenario::recovery, object(recovery_table()),
            "What is done about it. Absent: the job waits for repairs.");
    t.defaulted("limits", &Scenario::limits, object(limits_table()), "When to give up.");
    t.defaulted("expect", &Scenario::expect, list(object(expectation_table())),
                "What `regress` checks. []: nothing yet, `regress --accept` fills it in.")
        .for_people();
    return t;
  }();
  return table;
}

} // namespace gradflight
