// `compare`, `scale` and `advise`: each simulates several scenarios for one answer.
#include "cli/answers.hpp"
#include "base/usage_error.hpp"
#include "base/visible.hpp"

#include "analysis/explore/answers/answers_page.hpp"
#include "analysis/explore/answers/named_change.hpp"
#include "analysis/explore/answers/recorded_steps.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/mistakes.hpp"
#include "cli/terminal/page_file.hpp"
#include "cli/terminal/sweep_progress.hpp"
#include "models/units/unit_text.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> together(std::vector<std::string> first, const std::vector<std::string>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

/// Standard input can be read only once, so "-" may occur once.
std::vector<ScenarioSource> sources_of(const std::vector<fs::path>& paths) {
  if (std::ranges::count(paths, fs::path("-")) > 1) throw UsageError("standard input (-) can be read once only");
  std::vector<ScenarioSource> sources;
  for (const fs::path& path : paths) sources.push_back(scenario_source(path));
  return sources;
}

int failed(const std::string& who, const std::string& why) {
  flush_result();
  print_message(fmt::format("gradflight: {}: {}\n", who, why));
  return simulation_failed;
}

/// A column of `compare`: a completed run, or the scenario with index `prepared` to simulate.
struct WantedColumn {
  CompareColumn column;
  std::optional<std::size_t> prepared{};
};

class WantedColumns {
public:
  explicit WantedColumns(const CompareOptions& options) : options_(options) {}

  void add_file(const ScenarioSource& source) {
    const bool is_first = files_++ == 0;
    auto recorded = recorded_steps(source);
    begins_with_result_ = begins_with_result_ || (recorded && is_first);
    if (!recorded) return add_scenario(prepare_one_job(source, options_.sets), {});
    const char* changes = !options_.sets.empty()                   ? "--set"
                          : !options_.variants.empty() && is_first ? "--variant"
                                                                   : nullptr;
    if (changes != nullptr)
      throw UsageError(fmt::format("{} changes a scenario, but {} is a result: give its scenario instead", changes,
                                   source.path.string()));
    for (RecordedStep& step : *recorded) columns_.push_back({{std::move(step.name), std::move(step.step)}, {}});
  }
  /// `name` is empty for the scenario's own name.
  void add_scenario(Prepared scenario, const std::string& name) {
    prepared_.push_back(std::move(scenario));
    columns_.push_back({{name.empty() ? prepared_.back().scenario().name : name, {}}, prepared_.size() - 1});
  }

  /// Variants change the first file, which then must be a scenario.
  [[nodiscard]] bool begins_with_result() const { return begins_with_result_; }
  [[nodiscard]] const std::vector<Prepared>& prepared() const { return prepared_; }
  [[nodiscard]] std::vector<WantedColumn>& all() { return columns_; }

private:
  const CompareOptions& options_;
  std::vector<Prepared> prepared_;
  std::vector<WantedColumn> columns_;
  int files_ = 0;
  bool begins_with_result_ = false;
};

/// Prepares a scenario with `sets` and with `own` changes. A mistake in these is one of `option`, which states them.
Prepared prepare_with(const ScenarioSource& source, const std::vector<std::string>& sets,
                      const std::vector<std::string>& own, const std::string& option) {
  try {
    return prepare_one_job(source, together(sets, own));
  } catch (const InputErrors& errors) {
    std::vector<Diagnostic> found = errors.diagnostics();
    for (Diagnostic& error : found)
      if (std::ranges::find(own, error.argument) != own.end()) error = {option, 0, 0, error.pointer, error.message};
    throw InputErrors(std::move(found));
  }
}

} // namespace

int compare(const CompareOptions& options) {
  std::vector<std::pair<NamedChange, std::string>> variants; // with their texts
  Mistakes mistakes;
  for (const std::string& text : options.variants)
    mistakes.collect([&] { variants.emplace_back(parse_named_change(text), text); });
  const auto sources = sources_of(options.scenarios);
  WantedColumns wanted(options);
  for (const ScenarioSource& source : sources) mistakes.collect([&] { wanted.add_file(source); });
  if (wanted.begins_with_result()) variants.clear();
  for (const auto& variant : variants)
    mistakes.collect([&] {
      wanted.add_scenario(
          prepare_with(sources.front(), options.sets, variant.first.sets, "--variant " + variant.second),
          variant.first.name);
    });
  mistakes.raise();
  if (wanted.all().empty()) throw UsageError("these files contain no results to compare");
  std::vector<std::string> names;
  for (const WantedColumn& column : wanted.all()) names.push_back(column.column.name);
  names = distinct_names(std::move(names));
  PageFile page(options.report);
  const auto answers = simulate_steps(wanted.prepared(), options.jobs, batch_progress());
  SideBySide table;
  int ended = done;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto& [column, number] = wanted.all()[i];
    column.name = names[i];
    if (number) {
      if (const std::string& failure = answers[*number].failure; !failure.empty()) {
        ended = failed(names[i], failure);
        continue;
      }
      column = compare_column(names[i], wanted.prepared()[*number].scenario(), answers[*number].step);
    }
    table.columns.push_back(std::move(column));
  }
  if (table.columns.empty()) return ended;
  print_result(options.json ? compare_json(table) : compare_text(table));
  page.write([&] { return compare_page(table, shell_line(options.command)); });
  return ended;
}

int scale(const ScaleOptions& options) {
  const ScenarioSource source = scenario_source(options.scenario);
  ValueList axis;
  std::vector<std::string> names;
  std::vector<Prepared> prepared;
  Mistakes mistakes;
  if (!mistakes.collect([&] { axis = parse_value_list(options.over); }))
    mistakes.collect([&] { prepare_one_job(source, options.sets); });
  for (const std::string& value : axis.values) {
    names.push_back(axis.path + "=" + value);
    mistakes.collect(
        [&] { prepared.push_back(prepare_with(source, options.sets, {names.back()}, "--over " + options.over)); });
  }
  mistakes.raise();
  if (options.strong) keep_global_batch(prepared, names);
  PageFile page(options.report);
  const auto answers = simulate_steps(prepared, options.jobs, batch_progress());
  Scaling scaling{axis.path, options.threshold, options.strong, {}};
  int ended = done;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    if (!answers[i].failure.empty()) {
      ended = failed(names[i], answers[i].failure);
      continue;
    }
    scaling.points.push_back(scale_point(axis.values[i], prepared[i].scenario(), answers[i].step));
  }
  if (scaling.points.empty()) return ended;
  print_result(options.json ? scale_json(scaling) : scale_text(scaling));
  page.write([&] { return scale_page(scaling, prepared.front().scenario().name, shell_line(options.command)); });
  return ended;
}

int advise(const AdviseOptions& options) {
  Mistakes mistakes;
  double budget = 0;
  try {
    budget = parse_quantity(options.budget, Dimension::time);
  } catch (const UnitError& error) {
    mistakes.add({"gradflight", 0, 0, "", fmt::format("--budget {}: {}", options.budget, error.what())});
  }
  const ScenarioSource source = scenario_source(options.scenario);
  if (mistakes.any()) mistakes.collect([&] { prepare_one_job(source, options.sets); });
  mistakes.raise();
  PageFile page(options.report);
  const Advice advice = advise(source, options.sets, {budget, options.jobs, batch_progress()});
  if (!advice.failure.empty()) return failed(advice.scenario, advice.failure);
  print_result(options.json ? advice_json(advice) : advice_text(advice));
  page.write([&] { return advice_page(advice, shell_line(options.command)); });
  return done;
}

} // namespace gradflight::cli
