// `sweep`: runs the points without a result in a directory.
#include "analysis/explore/sweeps/slurm.hpp"
#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/explore/sweeps/sweep_run.hpp"
#include "analysis/run/files/process.hpp"
#include "analysis/run/runner.hpp"
#include "base/human.hpp"
#include "cli/sweep/sweep_commands.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/standard_input.hpp"
#include "cli/terminal/sweep_progress.hpp"
#include "cli/terminal/usage.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

namespace gradflight::cli {
namespace {

SlurmArray array_of(const SweepOptions& options) {
  const auto program = program_path();
  return {options.slurm_tasks,
          program.empty() ? "gradflight" : program,
          options.sweep,
          options.out,
          std::max(options.jobs, 1),
          options.wall,
          options.memory,
          options.retry};
}

/// Prints how many points ended with each status, and why the sweep ended early, if it did. Returns the exit code.
int tell(const SweepTally& tally, bool retries) {
  if (tally.damaged > 0)
    print_message(
        fmt::format("gradflight sweep: {} incomplete, because an earlier run was interrupted; run the sweep again\n",
                    counted(tally.damaged, "record")));
  std::string text = counted(tally.done - tally.repeated, "point") + " done:";
  const char* separator = " ";
  for (const auto& [status, number] : tally.with) {
    text += fmt::format("{}{} {}", separator, number, point_status_name(status));
    separator = ", ";
  }
  if (tally.resumed > 0) text += fmt::format(" ({} before)", tally.resumed);
  if (tally.repeated > 0) text += fmt::format("; {} the same as another", tally.repeated);
  print_result(text + "\n");
  flush_result();
  for (const auto& [status, reason] : tally.first)
    if (status != PointStatus::ok)
      print_message(fmt::format("gradflight sweep: the first {} point is number {}: {}\n", point_status_name(status),
                                reason.point, reason.message));
  if (!retries && tally.with.contains(PointStatus::killed))
    print_message("gradflight sweep: add --retry to run killed points again\n");
  if (!tally.trouble) return done;
  print_message(
      fmt::format("gradflight sweep: {}\nThe sweep is incomplete: run it again to do the rest.\n", *tally.trouble));
  return incomplete;
}

} // namespace

int sweep(const SweepOptions& options) {
  refuse_standard_input("sweep", options.sweep);
  std::vector<std::string> wrong;
  if (options.slurm_tasks > 0 && !options.shard.empty())
    wrong.emplace_back("--shard has no effect with --slurm, because each task of the array runs a part of its own: "
                       "leave one of them out");
  Shard shard;
  Sweep plan;
  std::optional<InputErrors> unreadable;
  try {
    plan = load_sweep(options.sweep.string(), quantity_names());
  } catch (const InputErrors& errors) {
    unreadable = errors;
  }
  const auto read = [&](const auto& option) {
    try {
      option();
    } catch (const std::invalid_argument& error) {
      wrong.emplace_back(error.what());
    }
  };
  read([&] { limits_of(plan, options.wall, ""); });
  read([&] { limits_of(plan, "", options.memory); });
  read([&] { shard = shard_of(options.slurm_tasks > 0 ? "0/1" : options.shard); });
  if (!wrong.empty()) refuse_words("gradflight sweep", wrong);
  if (unreadable) throw InputErrors(*unreadable);
  if (!wrong.empty()) return bad_input;
  const WorkLimits limits = limits_of(plan, options.wall, options.memory);
  const auto combinations = selected_combinations(plan);
  if (auto errors = errors_of_all(plan, combinations); !errors.empty()) throw InputErrors(std::move(errors));
  if (options.slurm_tasks > 0) {
    print_result_as_is(slurm_script(array_of(options)));
    return done;
  }
  claim(options.out, plan);
  std::vector<std::int64_t> mine;
  for (std::size_t i = 0; i < combinations.size(); ++i)
    if (static_cast<std::int64_t>(i) % shard.count == shard.index) mine.push_back(combinations[i]);
  SweepProgress line(std::ssize(mine), 0);
  const auto tally =
      run_sweep(plan, mine, {options.out, options.jobs > 0 ? options.jobs : usable_cores(), limits, options.retry},
                [&](const SweepTally& so_far) { line.update(so_far.done, so_far.not_ok()); });
  line.wipe();
  return tell(tally, options.retry);
}

} // namespace gradflight::cli
