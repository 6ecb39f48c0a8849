// `check`: many scenarios, each simulated in a process of its own and held against its closed form.
#include "analysis/result/comparison.hpp"
#include "analysis/runs/children.hpp"
#include "analysis/runs/prepare.hpp"
#include "analysis/text/human.hpp"
#include "analysis/text/json_text.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/exit_codes.hpp"

#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace gradflight::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Case {
  std::filesystem::path file;
  Prepared prepared;
  ClosedFormAnswer form;
  std::optional<ChildAnswer> answer;
  Comparison comparison;
};

/// All files or none: every error of every file is reported before anything is simulated.
std::vector<Case> load(const std::vector<std::filesystem::path>& paths) {
  std::vector<Case> cases;
  std::vector<Diagnostic> errors;
  for (const auto& file : scenario_files(paths)) {
    try {
      Prepared prepared = prepare(file);
      ClosedFormAnswer form = closed_form(prepared.scenario, prepared.platform);
      cases.push_back({file, std::move(prepared), std::move(form), {}, {}});
    } catch (const InputErrors& found) {
      errors.insert(errors.end(), found.diagnostics().begin(), found.diagnostics().end());
    }
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return cases;
}

/// Calls `report` for every case in their order as soon as each may be reported.
template <class Report> void simulate_all(std::vector<Case>& cases, const CheckOptions& options, Report report) {
  std::vector<const Prepared*> prepared;
  for (const Case& c : cases) prepared.push_back(&c.prepared);
  simulate_in_order(prepared, options.jobs, [&](std::size_t index, ChildAnswer answer) {
    Case& c = cases[index];
    c.answer = std::move(answer);
    if (c.answer->finished) c.comparison = compare(c.answer->result.time, c.form, options.tolerance);
    report(c);
  });
}

/// "no form" -> "no_form".
std::string json_name(std::string verdict) {
  std::replace(verdict.begin(), verdict.end(), ' ', '_');
  return verdict;
}

const char* verdict_of(const Case& c) { return c.answer->finished ? verdict_name(c.comparison.verdict) : "failed"; }

std::string remark(const Case& c) {
  if (!c.answer->finished) return c.answer->message;
  return c.form.form ? c.comparison.cause : c.form.why_none;
}

class Table {
public:
  explicit Table(const std::vector<Case>& cases, double tolerance) : tolerance_(tolerance) {
    for (const Case& c : cases) width_ = std::max(width_, c.prepared.scenario.name.size());
    print_result(row("scenario", "simulated", "form", "rel. error", "tolerance", "verdict", ""));
  }

  void put(const Case& c) const {
    const auto& error = c.comparison.relative_error;
    print_result(row(c.prepared.scenario.name, c.answer->finished ? human_seconds(c.answer->result.time) : "-",
                     c.form.form ? human_seconds(c.form.form->terms.time) : "-", error ? human_error(*error) : "-",
                     fmt::format("{:g}", tolerance_), verdict_of(c), remark(c)));
  }

private:
  [[nodiscard]] std::string row(const std::string& name, const std::string& simulated, const std::string& form,
                                const std::string& error, const std::string& tolerance, const std::string& verdict,
                                const std::string& why) const {
    std::string text = fmt::format("{:<{}}  {:>12}  {:>12}  {:>10}  {:>9}  {:<9}  {}", name, width_, simulated, form,
                                   error, tolerance, verdict, why);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  }

  std::size_t width_ = 8;
  double tolerance_;
};

Json object_of(const Case& c) {
  Json object;
  object["scenario"] = c.prepared.scenario.name;
  object["file"] = c.file.string();
  object["id"] = c.prepared.id;
  object["time_s"] = c.answer->finished ? Json(c.answer->result.time) : Json();
  object["closed_form"] = c.form.form ? Json{{"name", c.form.form->name}, {"time_s", c.form.form->terms.time}} : Json();
  object["relative_error"] = c.comparison.relative_error ? Json(*c.comparison.relative_error) : Json();
  object["verdict"] = json_name(verdict_of(c));
  object["cause"] = remark(c).empty() ? Json() : Json(remark(c));
  return object;
}

std::vector<std::pair<std::string, std::size_t>> tally(const std::vector<Case>& cases) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const char* verdict : {"ok", "explained", "off", "no form", "failed"})
    counts.emplace_back(verdict, std::count_if(cases.begin(), cases.end(), [&](const Case& c) {
                          return std::string_view(verdict_of(c)) == verdict;
                        }));
  return counts;
}

void print_summary(const std::vector<Case>& cases) {
  std::string text = counted(std::ssize(cases), "scenario");
  const char* separator = ": ";
  for (const auto& [verdict, count] : tally(cases)) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", separator, count, verdict);
    separator = ", ";
  }
  print_message(text + '\n');
}

void print_json(const std::vector<Case>& cases, double tolerance) {
  Json object;
  object["tolerance"] = tolerance;
  object["scenarios"] = Json::array();
  for (const Case& c : cases) object["scenarios"].push_back(object_of(c));
  object["summary"] = Json::object();
  for (const auto& [verdict, count] : tally(cases)) object["summary"][json_name(verdict)] = count;
  print_result(json_text(object));
}

int exit_code(const std::vector<Case>& cases) {
  const auto any = [&](auto test) { return std::any_of(cases.begin(), cases.end(), test); };
  if (any([](const Case& c) { return !c.answer->finished; })) return simulation_failed;
  if (any([](const Case& c) { return c.comparison.verdict == Verdict::off; })) return check_failed;
  return done;
}

} // namespace

int check(const CheckOptions& options) {
  std::vector<Case> cases = load(options.paths);
  if (options.json) {
    simulate_all(cases, options, [](const Case&) {});
    print_json(cases, options.tolerance);
  } else {
    const Table table(cases, options.tolerance);
    simulate_all(cases, options, [&](const Case& c) {
      table.put(c);
      flush_result(); // long checks are watched
    });
    print_summary(cases);
  }
  return exit_code(cases);
}

} // namespace gradflight::cli
