#include "analysis/run/result/fields/result_tables.hpp"
#include "base/percentile.hpp"
#include "models/forms/checkpoint_interval.hpp"

#include <array>
#include <cmath>

namespace gradflight {
namespace {

const ResultTable<OutageRow>& outage_table() {
  static const auto table = [] {
    using R = const OutageRow&;
    ResultTable<OutageRow> t("outage", "A time during which a component was down.");
    t.text("what", "\"node 3\", \"GPU 12\", \"NIC node3\", \"link rack0\", \"switch rack0\".",
           [](R r) { return r.name; });
    t.number("at_s", "s", "Time of the failure.", [](R r) { return r.at; });
    t.number("until_s", "s", "Time of the repair; null: never.", [](R r) {
       return std::isfinite(r.until) ? std::optional(r.until) : std::nullopt;
     }).or_null();
    return t;
  }();
  return table;
}

const ResultTable<RunFailures>& checkpoint_result_table() {
  static const auto table = [] {
    using R = const RunFailures&;
    ResultTable<RunFailures> t("checkpoints", "Checkpoints: their actual and their best intervals.");
    const auto period = [](R r) { return r.failures.period; };
    t.count("written", "1", "Number of complete checkpoints.", [](R r) { return r.failures.first.checkpoints; });
    t.number("write_s", "s", "Time to write a checkpoint.", [](R r) { return r.failures.write.value_or(0); });
    t.number("read_s", "s", "Time to read a checkpoint.", [](R r) { return r.failures.read.value_or(0); });
    t.count("every_iterations", "1", "Iterations between two checkpoints.", [](R r) { return r.failures.every; });
    t.number("interval_s", "s", "Compute time of these iterations.",
             [period](R r) { return static_cast<double>(r.failures.every) * period(r); });
    t.number("young_s", "s", "The best interval by Young's formula: sqrt(2 write mtbf).",
             [](R r) { return young_interval(r.failures.write.value_or(0), r.failures.mtbf); });
    t.number("daly_s", "s", "The best interval by Daly's higher-order formula.",
             [](R r) { return daly_interval(r.failures.write.value_or(0), r.failures.mtbf); });
    t.number("daly_goodput", "1",
             "Goodput that Daly's formula predicts for this interval. It assumes exponential failures, no waiting for "
             "repairs, and checkpoints that stop the job; null if an assumption fails.",
             [period](R r) -> std::optional<double> {
               if (!r.as_daly) return std::nullopt;
               const FailuresResult& f = r.failures;
               const double interval = static_cast<double>(f.every) * period(r);
               return 1 / daly_time(1, interval, f.write.value_or(0), r.restart + f.read.value_or(0), f.mtbf);
             })
        .or_null();
    t.number("best_every_iterations", "1",
             "Checkpoint interval in iterations with the best mean goodput over the repeats, among this run's and 32 "
             "others from a sixteenth to sixteen times Daly's. null: no failure, or more than a million.",
             [](R r) {
               return r.failures.best ? std::optional(static_cast<double>(r.failures.best->iterations)) : std::nullopt;
             })
        .or_null();
    t.number("best_interval_s", "s", "Compute time of these iterations.", [period](R r) {
       return r.failures.best ? std::optional(static_cast<double>(r.failures.best->iterations) * period(r))
                              : std::nullopt;
     }).or_null();
    t.number("best_goodput", "1", "Mean goodput with this interval.", [](R r) {
       return r.failures.best ? std::optional(r.failures.best->goodput) : std::nullopt;
     }).or_null();
    return t;
  }();
  return table;
}

} // namespace

const ResultTable<Lifetime>& lost_time_table() {
  static const auto table = [] {
    constexpr std::array<const char*, losses - 1> docs = {
        "Time until failures were detected.", "Time to restart the job and read its checkpoint.",
        "Work since the last checkpoint, which was repeated.",
        "Time in which checkpoints stopped the job, and pipelines were refilled.", "Time spent waiting for repairs."};
    ResultTable<Lifetime> t("lost_time", "Seconds that were not useful, by cause.");
    for (std::size_t i = 0; i < docs.size(); ++i)
      t.number(loss_name(static_cast<Loss>(i)), "s", docs[i], [i](const Lifetime& life) { return life.lost[i]; });
    t.number(loss_name(Loss::fewer), "s", "Extra time of work on fewer nodes.", [](const Lifetime& life) {
       return life.fewest_nodes > 0 ? std::optional(life.at(Loss::fewer)) : std::nullopt;
     }).only("recovery.least_nodes");
    return t;
  }();
  return table;
}

const ResultTable<RunFailures>& failures_result_table() {
  static const auto table = [] {
    using R = const RunFailures&;
    ResultTable<RunFailures> t("failures_result", "Failures and their effects on the job.");
    t.number("useful_s", "s", "Time of the job without failures and checkpoints.",
             [](R r) { return r.failures.first.useful; });
    t.number("availability", "1", "Share of `time_s` in which the job computed or wrote checkpoints.",
             [](R r) { return r.failures.first.availability(); });
    t.number("mtbf_s", "s", "Mean time between failures of any component, while all are up.",
             [](R r) { return r.failures.mtbf; });
    t.count("count", "1", "Number of failures until the end.", [](R r) { return r.failures.first.failure_count(); });
    constexpr std::array<const char*, component_kinds> keys = {"nodes", "gpus", "nics", "links", "switches"};
    for (std::size_t k = 0; k < keys.size(); ++k)
      t.count(keys[k], "1", "Number of failures of components of this kind.",
              [k](R r) { return r.failures.first.failures[k]; });
    t.count("fewest_nodes", "1", "Smallest number of nodes on which the job worked.", [](R r) {
       const int nodes = r.failures.first.fewest_nodes;
       return nodes > 0 ? std::optional<std::int64_t>(nodes) : std::nullopt;
     }).only("recovery.least_nodes");
    t.number("goodput_mean", "1", "Mean goodput over all repeats.", [](R r) { return r.failures.mean_goodput(); });
    t.number("goodput_median", "1", "Median goodput over all repeats.",
             [](R r) { return percentile(r.failures.goodputs, 0.5); });
    t.number("goodput_p10", "1", "10th percentile of the goodput over all repeats.",
             [](R r) { return percentile(r.failures.goodputs, 0.1); });
    t.number("goodput_p90", "1", "90th percentile of the goodput over all repeats.",
             [](R r) { return percentile(r.failures.goodputs, 0.9); });
    t.count("simulated_iterations", "1",
            "With policy restart: number of simulated iterations; the others repeat the last of them. 0: all are "
            "simulated.",
            [](R r) { return r.failures.simulated_iterations; });
    t.truth(
        "steady",
        "true: the simulated iterations repeat to 1e-9. false: the mean of their second half is used for the others.",
        [](R r) { return r.failures.steady; });
    t.object("checkpoints", checkpoint_result_table(), "Times and intervals of the checkpoints.", [](R r) {
       return r.failures.every > 0 ? &r : nullptr;
     }).only("recovery.checkpoint");
    t.list("outages", "", outage_table(), "The failures in order of time, at most the first 1,000.",
           ResultList<RunFailures, const OutageRow&>{
               .size = [](R r) { return r.failures.outages.size(); },
               .item = [](R r, std::size_t i) -> const OutageRow& { return r.failures.outages[i]; }});
    return t;
  }();
  return table;
}

std::optional<RunFailures> failures_of(const Outcome& outcome) {
  if (!outcome.result.failures) return std::nullopt;
  const Scenario& s = outcome.scenario;
  RunFailures run{*outcome.result.failures};
  if (!s.recovery || !s.failures) return run;
  run.restart = (s.recovery->detection + s.recovery->restart).value();
  run.as_daly = s.recovery->checkpoint && !s.recovery->checkpoint->asynchronous;
  for (int k = 0; k < component_kinds; ++k)
    if (const auto& rate = s.failures->rates[static_cast<std::size_t>(k)]) {
      const bool replaced = k <= static_cast<int>(ComponentKind::nic) && s.recovery->spares > 0;
      run.as_daly = run.as_daly && rate->shape == 1 && (replaced || (rate->mttr && rate->mttr->value() == 0));
    }
  return run;
}

} // namespace gradflight
