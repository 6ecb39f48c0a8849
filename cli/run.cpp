// `run`: simulates, explains and records scenarios.
#include "analysis/run/evaluate.hpp"
#include "analysis/run/files/result_json.hpp"
#include "analysis/run/files/run_directory.hpp"
#include "analysis/run/last_digits.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/run_page/run_page.hpp"
#include "analysis/run/runner.hpp"
#include "analysis/run/text/report.hpp"
#include "base/human.hpp"
#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "base/usage_error.hpp"
#include "base/visible.hpp"
#include "cli/commands.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/page_file.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/usage.hpp"
#include "cli/terminal/version.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/failures.hpp"
#include "sim/jobs.hpp"
#include "sim/message_count.hpp"
#include "sim/training/job.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <optional>
#include <sys/resource.h>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

RunMeta meta_since(Clock::time_point start) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  RunMeta meta;
  meta.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  meta.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  meta.max_rss_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  meta.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  meta.versions = {{"gradflight", version}, {"compiler", __VERSION__}};
  return meta;
}

/// A timeline records every message, without shortcuts, so the limit applies to all messages of the simulated part.
void refuse_endless_timeline(const Prepared& prepared, const std::string& file) {
  const Scenario& s = prepared.scenario();
  if (const auto refused = too_many_messages(s.failures ? simulated_part(s) : s, prepared.platform(), false))
    throw InputErrors({{file, 0, 0, "/limits/messages", *refused}});
}

/// Returns the number of ranks of all jobs, including servers and switches that take part.
int recorded_ranks(const Prepared& prepared) {
  const Scenario& scenario = prepared.scenario();
  // The option is rejected for the whole run, because a queue has no timeline.
  if (scenario.queue) return std::numeric_limits<int>::max();
  std::vector<Scenario> jobs = job_scenarios(scenario);
  if (jobs.empty()) jobs.push_back(scenario);
  int ranks = 0;
  for (const Scenario& job : jobs) {
    int most = 0;
    for (const Phase& phase : job.phases) most = std::max(most, Job(job, phase, prepared.platform()).ranks.size());
    ranks += most;
  }
  return ranks;
}

Outcome simulated(const Prepared& prepared, Timeline* timeline, bool alone) {
  Progress progress([&] {
    const Scenario& s = prepared.scenario();
    return message_count(s.failures ? simulated_part(s) : s, prepared.platform(), timeline == nullptr).all;
  });
  EvaluateOptions options;
  options.timeline = timeline;
  options.progress = [&](double time, std::int64_t messages) { progress.update(time, messages); };
  options.process = Process::own;
  options.simgrid_clock = true;
  options.alone = alone;
  return evaluate(prepared, options);
}

} // namespace

namespace {

/// Records the run again into `timeline`; or returns a sentence with the reason why not.
std::string timeline_for_page(const Prepared& prepared, Timeline& timeline) {
  constexpr double most = 1'500'000; // about 400 MB, 2 s
  const Scenario& s = prepared.scenario();
  if (s.failures) return "A job that fails has no timeline here: --timeline writes that of its iterations.";
  if (s.queue) return "Jobs of a list are simulated one by one, so a timeline of all jobs is not available.";
  if (s.engine.kind == EngineKind::simgrid) return "The reference engine records one with --timeline only.";
  const double messages = message_count(s, prepared.platform(), false).all;
  if (messages > most)
    return fmt::format("Its {} messages are too many for a drawing; --timeline writes them to a file.",
                       human_count(messages));
  EvaluateOptions options;
  options.timeline = &timeline;
  simulate(prepared, options);
  return {};
}

void write_page(PageFile& page, const RunOptions& options, const Prepared& prepared, const Outcome& outcome,
                const Timeline* recorded) {
  page.write([&] {
    RunPage run{outcome, recorded, {}, prepared.canonical(), shell_line(options.command)};
    Timeline timeline;
    if (recorded == nullptr) {
      run.no_timeline = timeline_for_page(prepared, timeline);
      if (run.no_timeline.empty()) run.timeline = &timeline;
    }
    return run_page(run);
  });
}

LinkListing listing_of(const RunOptions& options) {
  return options.links.empty() ? LinkListing::by_count
                               : (options.links == "all" ? LinkListing::all : LinkListing::groups);
}

std::string text_of(const Prepared& prepared, const Outcome& outcome) {
  return report(outcome, {is_colour_enabled(), result_width()}, moved_by_last_digits(prepared, outcome.result));
}

/// The prepared scenarios of a command. With `json`, the list of results has an entry for each input, so a wrong
/// scenario gets an entry, too. Without it, no scenario is simulated if one is wrong.
struct Inputs {
  std::vector<Prepared> prepared;
  std::vector<std::size_t> places;  ///< index of each prepared scenario in the list
  std::vector<std::string> entries; ///< entries of the list, as JSON; empty: unknown so far
  std::vector<Diagnostic> mistakes;
};

Inputs prepare_all(const RunOptions& options) {
  Inputs inputs;
  inputs.entries.resize(options.scenarios.size());
  for (std::size_t i = 0; i < options.scenarios.size(); ++i) {
    const fs::path& path = options.scenarios[i];
    try {
      inputs.prepared.push_back(prepare_changed(scenario_source(path), {options.sets, {}, {}}));
      inputs.places.push_back(i);
    } catch (const InputErrors& errors) {
      inputs.mistakes.insert(inputs.mistakes.end(), errors.diagnostics().begin(), errors.diagnostics().end());
      std::vector<std::string> texts;
      for (const Diagnostic& mistake : errors.diagnostics()) texts.push_back(format(mistake));
      inputs.entries[i] = failed_run_json({name_of(path), fmt::format("{}", fmt::join(texts, "; "))});
    }
  }
  return inputs;
}

/// Runs the scenarios one after the other and prints each result when it is ready. With `json`, prints a list in the
/// order of the inputs.
int run_several(const RunOptions& options) {
  Inputs inputs = prepare_all(options);
  int code = done;
  if (!inputs.mistakes.empty()) {
    const InputErrors errors(std::move(inputs.mistakes));
    if (!options.json) throw errors;
    print_message(errors.format());
    code = bad_input;
  }
  const std::vector<Prepared>& prepared = inputs.prepared;
  run_cases(
      prepared.size(), {.jobs = 1},
      [&](std::size_t i, Process process) {
        return simulate_with_race(prepared[i], {.process = process, .alone = options.alone});
      },
      [&](std::size_t i, Answer<RunResult> answer) {
        std::string& entry = inputs.entries[inputs.places[i]];
        if (!answer.finished()) {
          const std::string& name = prepared[i].scenario().name;
          flush_result();
          print_message(fmt::format("gradflight: {}: {}\n", name, answer.end.message()));
          entry = failed_run_json({name, answer.end.message()});
          if (code == done) code = simulation_failed;
          return;
        }
        Outcome outcome = outcome_of(prepared[i], std::move(answer.value));
        if (options.json) {
          list_links(outcome, listing_of(options));
          entry = result_json(outcome);
        } else {
          print_result_as_is((i > 0 ? "\n" : "") + text_of(prepared[i], outcome));
          flush_result();
        }
      });
  if (options.json) print_result(json_list(inputs.entries));
  return code;
}

/// Throws UsageError if two outputs have the same file, because only the last one would remain.
void refuse_one_file(const RunOptions& options, const RunDirectory* directory) {
  const std::array outputs = {std::pair("--report", options.report), std::pair("--timeline", options.timeline.file)};
  for (const auto& [option, file] : outputs)
    if (directory && !file.empty() && directory->writes(file))
      throw UsageError(fmt::format("{} {}: --out writes this file, too; give another name", option, file.string()));
  if (!options.report.empty() && is_same_file(options.report, options.timeline.file))
    throw UsageError(fmt::format("--report and --timeline both write {}; give two names", options.report.string()));
}

/// Returns why these scenarios cannot be run together; empty if they can.
std::vector<std::string> why_not_together(const RunOptions& options) {
  std::vector<std::string> why;
  if (!options.out.empty()) why.emplace_back("--out takes one scenario; run each scenario with a DIR of its own");
  if (!options.report.empty())
    why.emplace_back("--report takes one scenario; for several on one page, use gradflight compare");
  if (!options.timeline.file.empty())
    why.emplace_back("--timeline takes one scenario; run each scenario with a FILE of its own");
  std::map<fs::path, int> times;
  for (const fs::path& path : options.scenarios)
    if (++times[path == "-" ? path : real_path(path)] == 2)
      why.push_back(
          fmt::format("{} is given twice; to compare changes of one file, use gradflight compare", path.string()));
  return why;
}

} // namespace

int run(const RunOptions& options) try {
  if (options.scenarios.size() > 1) {
    const std::vector<std::string> wrong = why_not_together(options);
    return wrong.empty() ? run_several(options) : refuse_words("gradflight run", wrong);
  }
  const auto start = Clock::now();
  const ScenarioSource source = scenario_source(options.scenarios.front());
  const Prepared prepared = prepare_changed(source, {options.sets, {}, {}});
  if (!options.timeline.file.empty()) refuse_endless_timeline(prepared, source.path.string());
  // Opens every output before the simulation, so that a wrong directory does not waste a long run.
  std::optional<RunDirectory> directory;
  if (!options.out.empty()) directory.emplace(options.out, prepared.canonical());
  refuse_one_file(options, directory ? &*directory : nullptr);
  PageFile page(options.report);
  std::optional<TimelineFile> trace;
  if (!options.timeline.file.empty())
    trace.emplace(options.timeline, options.timeline.ranks.empty() ? 0 : recorded_ranks(prepared));

  Timeline timeline;
  Outcome outcome = simulated(prepared, trace ? &timeline : nullptr, options.alone);
  list_links(outcome, listing_of(options));
  if (trace) {
    if (const std::string missing = trace->write(timeline, outcome.scenario.name); !missing.empty())
      print_message(fmt::format("gradflight: {}\n", missing));
    if (const auto& failures = outcome.result.failures; failures && failures->simulated_iterations > 0)
      print_message(fmt::format("gradflight: the timeline has the {} simulated iterations; the others repeat them, and "
                                "failures are not in it\n",
                                failures->simulated_iterations));
    if (timeline.truncated)
      print_message(fmt::format("gradflight: the timeline holds the first {} records only\n", timeline.limit));
  }
  if (directory) directory->write(outcome, options.command, meta_since(start));
  if (options.json)
    print_result(result_json(outcome));
  else
    print_result_as_is(text_of(prepared, outcome));
  write_page(page, options, prepared, outcome, trace ? &timeline : nullptr);
  return done;
} catch (const UsageError& error) {
  return refuse_words("gradflight run", {error.what()});
}

} // namespace gradflight::cli
