#include "analysis/run/result/result_tables.hpp"
#include "base/percentile.hpp"
#include "models/forms/checkpoint_interval.hpp"

#include <array>
#include <cmath>

namespace gradflight {
namespace {

const ResultTable<OutageRow>& outage_table() {
  static const auto table = [] {
    using R = const OutageRow&;
    ResultTable<OutageRow> t("outage", "Something was down.");
    t.text("what", "\"node 3\", \"GPU 12\", \"NIC node3\", \"link rack0\", \"switch rack0\".",
           [](R r) { return r.name; });
    t.number("at_s", "s", "When it failed.", [](R r) { return r.at; });
    t.number("until_s", "s", "When it was repaired; null: never.", [](R r) {
       return std::isfinite(r.until) ? std::optional(r.until) : std::nullopt;
     }).or_null();
    return t;
  }();
  return table;
}

const ResultTable<RunFailures>& checkpoint_result_table() {
  static const auto table = [] {
    using R = const RunFailures&;
    ResultTable<RunFailures> t("checkpoints", "Checkpoints, how often they are written and how often they should be.");
    const auto period = [](R r) { return r.failures.period; };
    t.count("written", "1", "Checkpoints that were written whole.", [](R r) { return r.failures.first.checkpoints; });
    t.number("write_s", "s", "How long one takes to write.", [](R r) { return r.failures.write.value_or(0); });
    t.number("read_s", "s", "How long one takes to read.", [](R r) { return r.failures.read.value_or(0); });
    t.count("every_iterations", "1", "Iterations between two.", [](R r) { return r.failures.every; });
    t.number("interval_s", "s", "How long those compute.",
             [period](R r) { return static_cast<double>(r.failures.every) * period(r); });
    t.number("young_s", "s", "The interval that Young's formula calls best: sqrt(2 write mtbf).",
             [](R r) { return young_interval(r.failures.write.value_or(0), r.failures.mtbf); });
    t.number("daly_s", "s", "The one that Daly's does, of higher order.",
             [](R r) { return daly_interval(r.failures.write.value_or(0), r.failures.mtbf); });
    t.number("daly_goodput", "1",
             "What Daly's formula expects at this run's interval: of failures at any time alike, whose repair nobody "
             "waits for, and checkpoints for which the job stands still; null: others.",
             [period](R r) -> std::optional<double> {
               if (!r.as_daly) return std::nullopt;
               const FailuresResult& f = r.failures;
               const double interval = static_cast<double>(f.every) * period(r);
               return 1 / daly_time(1, interval, f.write.value_or(0), r.restart + f.read.value_or(0), f.mtbf);
             })
        .or_null();
    t.number(
         "best_every_iterations", "1",
         "Iterations between two that gave the best mean goodput over the repeats, of this run's and 32 others from "
         "a sixteenth to sixteen times Daly's; null: nothing failed, or more than a million times.",
         [](R r) {
           return r.failures.best ? std::optional(static_cast<double>(r.failures.best->iterations)) : std::nullopt;
         })
        .or_null();
    t.number("best_interval_s", "s", "How long those compute.", [period](R r) {
       return r.failures.best ? std::optional(static_cast<double>(r.failures.best->iterations) * period(r))
                              : std::nullopt;
     }).or_null();
    t.number("best_goodput", "1", "The mean goodput with it.", [](R r) {
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
        "Failures that nobody had noticed yet.", "The job started again, and read its checkpoint.",
        "Work since the last checkpoint, done once more.",
        "It stood still for checkpoints, and filled pipelines again.", "It waited for repairs."};
    ResultTable<Lifetime> t("lost_time", "Seconds that were not useful, by cause.");
    for (std::size_t i = 0; i < docs.size(); ++i)
      t.number(loss_name(static_cast<Loss>(i)), "s", docs[i], [i](const Lifetime& life) { return life.lost[i]; });
    t.number(loss_name(Loss::fewer), "s", "Work that fewer nodes than all took longer for.", [](const Lifetime& life) {
       return life.fewest_nodes > 0 ? std::optional(life.at(Loss::fewer)) : std::nullopt;
     }).only("recovery.least_nodes");
    return t;
  }();
  return table;
}

const ResultTable<RunFailures>& failures_result_table() {
  static const auto table = [] {
    using R = const RunFailures&;
    ResultTable<RunFailures> t("failures_result", "What failed, and what that did to the job.");
    t.number("useful_s", "s", "What the job takes without failures and checkpoints.",
             [](R r) { return r.failures.first.useful; });
    t.number("availability", "1", "Share of `time_s` in which the job computed or wrote checkpoints.",
             [](R r) { return r.failures.first.availability(); });
    t.number("mtbf_s", "s", "From one failure of anything to the next, on average, while all is up.",
             [](R r) { return r.failures.mtbf; });
    t.count("count", "1", "Failures until the end.", [](R r) { return r.failures.first.failure_count(); });
    constexpr std::array<const char*, component_kinds> keys = {"nodes", "gpus", "nics", "links", "switches"};
    for (std::size_t k = 0; k < keys.size(); ++k)
      t.count(keys[k], "1", "Of those, of such things.", [k](R r) { return r.failures.first.failures[k]; });
    t.count("fewest_nodes", "1", "With so many nodes the job worked at the least.", [](R r) {
       const int nodes = r.failures.first.fewest_nodes;
       return nodes > 0 ? std::optional<std::int64_t>(nodes) : std::nullopt;
     }).only("recovery.least_nodes");
    t.number("goodput_median", "1", "Over all repeats.", [](R r) { return percentile(r.failures.goodputs, 0.5); });
    t.number("goodput_p10", "1", "A tenth of the repeats have less.",
             [](R r) { return percentile(r.failures.goodputs, 0.1); });
    t.number("goodput_p90", "1", "A tenth of them have more.",
             [](R r) { return percentile(r.failures.goodputs, 0.9); });
    t.count("simulated_iterations", "1",
            "With policy restart: how many were simulated; the others are taken to repeat the last of them. 0: all.",
            [](R r) { return r.failures.simulated_iterations; });
    t.truth("steady", "Those did repeat, to 1e-9; else the mean of their second half stands for the others.",
            [](R r) { return r.failures.steady; });
    t.object("checkpoints", checkpoint_result_table(), "Their times and intervals.", [](R r) {
       return r.failures.every > 0 ? &r : nullptr;
     }).only("recovery.checkpoint");
    t.list("outages", "", outage_table(), "What failed, in order of time; the first 1,000.",
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
