#include "analysis/run/text/failures_text.hpp"

#include "analysis/run/result/fields/result_tables.hpp"
#include "analysis/run/text/describe.hpp"
#include "base/human.hpp"
#include "base/percentile.hpp"
#include "models/forms/checkpoint_interval.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr std::array<const char*, component_kinds> kinds = {"node", "GPU", "NIC", "link", "switch"};

/// `asynchronous`: no step waits for a checkpoint, so Young's and Daly's formulas do not apply.
void put_checkpoints(ReportText& text, const RunFailures& run, bool asynchronous) {
  const FailuresResult& f = run.failures;
  const double write = f.write.value_or(0);
  const auto interval = [&](double seconds) {
    return fmt::format("{} ({})", human_span(seconds), counted(std::llround(seconds / f.period), "iteration"));
  };
  text.line("checkpoints", fmt::format("{} written, one every {}; {} to write, {} to read",
                                       human_count(static_cast<double>(f.first.checkpoints)),
                                       interval(static_cast<double>(f.every) * f.period), human_seconds(write),
                                       human_seconds(f.read.value_or(0))));
  std::string best;
  if (f.best)
    best = fmt::format("{} simulated, {}goodput {}", interval(static_cast<double>(f.best->iterations) * f.period),
                       f.goodputs.size() > 1 ? "mean " : "", human_percent(f.best->goodput));
  if (!asynchronous)
    best += fmt::format("{}by Young's formula {}, by Daly's {}", best.empty() ? "" : "; ",
                        human_seconds(young_interval(write, f.mtbf)), human_seconds(daly_interval(write, f.mtbf)));
  if (!best.empty()) text.line("best interval", best);
}

} // namespace

std::string loss_words(Loss loss) {
  std::string words = loss_name(loss);
  std::ranges::replace(words, '_', ' ');
  return words;
}

void put_failures(ReportText& text, const Outcome& outcome) {
  const auto run = failures_of(outcome);
  if (!run) return;
  const FailuresResult& f = run->failures;
  const Lifetime& life = f.first;
  text.blank();
  text.heading("Failures");
  const bool several = f.goodputs.size() > 1;
  text.line("goodput",
            fmt::format("{}{}: {} of useful work in {}", human_percent(life.goodput()),
                        several ? " in the first lifetime" : "", human_span(life.useful), human_span(life.elapsed)));
  if (several)
    text.line("", fmt::format("mean of {} lifetimes {}, median {}, 10th to 90th percentile {} to {}", f.goodputs.size(),
                              human_percent(f.mean_goodput()), human_percent(percentile(f.goodputs, 0.5)),
                              human_percent(percentile(f.goodputs, 0.1)), human_percent(percentile(f.goodputs, 0.9))));
  std::string lost;
  for (std::size_t i = 0; i < life.lost.size(); ++i)
    if (life.lost[i] != 0)
      lost += fmt::format("{}{} {} ({})", lost.empty() ? "" : ", ", loss_words(static_cast<Loss>(i)),
                          human_span(life.lost[i]), human_percent(life.lost[i] / life.elapsed));
  text.line("lost to", lost.empty() ? "nothing" : lost);
  std::string counts;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (life.failures[k] > 0)
      counts += fmt::format("{}{}", counts.empty() ? "" : ", ", counted(life.failures[k], kinds[k]));
  text.line("failed", fmt::format("{}; one failure every {} on average", counts.empty() ? "nothing" : counts,
                                  human_span(f.mtbf)));
  if (life.fewest_nodes > 0)
    text.line("continued", fmt::format("with at least {}", counted(life.fewest_nodes, "node")));
  if (f.every > 0) {
    const auto& recovery = outcome.scenario.recovery;
    put_checkpoints(text, *run, recovery && recovery->checkpoint && recovery->checkpoint->asynchronous);
  }
  if (f.simulated_iterations > 0)
    text.line("iterations", f.steady ? fmt::format("{} simulated, the others repeat them", f.simulated_iterations)
                                     : fmt::format("{} simulated; they do not repeat: the mean of the second half "
                                                   "stands for the others",
                                                   f.simulated_iterations));
}

} // namespace gradflight
