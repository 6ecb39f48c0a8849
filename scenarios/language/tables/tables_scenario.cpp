#include "scenarios/language/tables/tables.hpp"

#include "scenarios/language/fields/explained_number.hpp"

#include <limits>

namespace gradflight {
namespace {

const Table<EngineSpec>& engine_table() {
  static const auto table = [] {
    Table<EngineSpec> t("engine", "The engine with its settings.");
    t.defaulted(
        "kind", &EngineSpec::kind,
        choice<EngineKind>("an engine", {{"hybrid", EngineKind::hybrid}, {"simgrid", EngineKind::simgrid}}),
        "hybrid: the fast default. simgrid: the reference, which makes every transfer a SimGrid communication.");
    t.defaulted("shortcuts", &EngineSpec::shortcuts, boolean(),
                "true: Gradflight may use symmetry and steady state instead of simulating every message.");
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
    Table<Limits> t("limits", "Limits of the simulation.");
    t.maybe("messages", &Limits::messages, integer64(1, std::numeric_limits<std::int64_t>::max()),
            "Gradflight rejects a scenario with more messages to simulate; messages that a shortcut replaces do not "
            "count. Absent: 10,000,000,000, which take hours.");
    t.maybe("simulated_time", &Limits::simulated_time, positive<Seconds>(),
            "The run fails when the simulated clock passes this. Absent: no limit.");
    t.maybe("wall_time", &Limits::wall_time, positive<Seconds>(),
            "The run fails when it takes longer than this, and reports how far it came. Absent: no limit.");
    return t;
  }();
  return table;
}

const Table<Expectation>& expectation_table() {
  static const auto table = [] {
    Table<Expectation> t("expectation", "An expected value of a golden scenario.");
    t.required("quantity", &Expectation::quantity, text(),
               "A number of the result: \"time_s\", \"breakdown.beta_s\", \"links.node0.up.busy_s\", ... "
               "(docs/regression.md).");
    t.required("value", &Expectation::value, number(-unlimited, unlimited),
               "Expected value, in the unit of the quantity's name.");
    t.defaulted("tolerance", &Expectation::tolerance,
                explained_number({.min = 0, .max = 1, .below_max = true}, "a fraction of the value: 0.05 means 5 %"),
                "Allowed relative difference, as a fraction of the value; 0: exactly the same value.");
    t.defaulted("why", &Expectation::why, text(), "What this value protects, and where it comes from.");
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
    t.defaulted("name", &Scenario::name, text(), "A name for readers. Absent: the file's base name.").for_people();
    t.defaulted("description", &Scenario::description, text(), "A description for readers.").for_people();
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
         "Several concurrent jobs, instead of `workload` and `training`; or a list of jobs that arrive and wait for "
         "GPUs, and use these (docs/jobs.md).")
        .decides();
    const auto one_job = [](const Scenario& scenario) { return scenario.jobs.empty(); };
    const std::string no_jobs = "a scenario without \"jobs\", as each job has its own";
    t.required("workload", &Scenario::workload, workload_value(),
               "The job's layers and gradients: an object, or the path of a file with one.")
        .only(one_job, no_jobs);
    t.custom<TrainingForm>(
         "training", training_value(),
         [](Scenario& scenario, TrainingForm form) { scenario.phases = phases_of(std::move(form)); },
         [](const Scenario& scenario) { return training_form(scenario.phases); }, "How the job trains.")
        .only(one_job, no_jobs);
    t.info.fields.back().required = true;
    t.defaulted("engine", &Scenario::engine, engine(),
                "The simulation engine: \"hybrid\", \"simgrid\", or an object with settings.");
    t.defaulted("placement", &Scenario::placement,
                choice<Placement>("a placement", {{"linear", Placement::linear}, {"cyclic", Placement::cyclic}}),
                "linear: ranks fill one node after the other. cyclic: consecutive ranks are on consecutive nodes.")
        .only([](const Scenario& scenario) { return scenario.one_job(); },
              "a scenario without \"jobs\", which have placements of their own");
    t.custom<std::vector<TrafficSpec>>(
        "traffic", traffic_value(),
        [](Scenario& scenario, std::vector<TrafficSpec> entries) { scenario.traffic = std::move(entries); },
        [](const Scenario& scenario) {
          return scenario.traffic.empty() ? std::nullopt : std::optional(scenario.traffic);
        },
        "Traffic of other users of the network. [] or absent: none.");
    t.custom<std::vector<ChangeSpec>>(
        "changes", changes_value(),
        [](Scenario& scenario, std::vector<ChangeSpec> changes) { scenario.changes = std::move(changes); },
        [](const Scenario& scenario) {
          return scenario.changes.empty() ? std::nullopt : std::optional(scenario.changes);
        },
        "Changes during the run, in order of time: components become slower or faster, or go down or up. [] or absent: "
        "none.");
    t.maybe("failures", &Scenario::failures, object(failures_table()), "Random failures of components. Absent: none.");
    t.maybe("recovery", &Scenario::recovery, object(recovery_table()),
            "Recovery from failures. Absent: the job waits for repairs.");
    t.defaulted("limits", &Scenario::limits, object(limits_table()), "Limits of the simulation.");
    t.defaulted("expect", &Scenario::expect, list(object(expectation_table())),
                "Values that `regress` checks. []: none yet; `regress --accept` fills them in.")
        .for_people();
    return t;
  }();
  return table;
}

} // namespace gradflight
