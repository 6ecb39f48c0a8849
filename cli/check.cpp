// `check`: simulates many scenarios, and compares each with its closed form.
#include "analysis/explore/regression/form_check.hpp"
#include "analysis/run/files/json_text.hpp"
#include "analysis/run/text/report_text.hpp"
#include "base/human.hpp"
#include "cli/commands.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/standard_input.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight::cli {
namespace {

class Table {
public:
  explicit Table(const std::vector<FormCheck>& checks, double tolerance) : tolerance_(tolerance) {
    for (const FormCheck& c : checks) width_ = std::max(width_, c.prepared.scenario().name.size());
    print_result(row("scenario", "simulated", "form", "rel. error", "tolerance", "verdict", ""));
  }

  void put(const FormCheck& c) const {
    const auto& error = c.comparison.relative_error;
    print_result(row(c.prepared.scenario().name, c.time.finished() ? human_seconds(c.time.value) : "-",
                     c.form.form ? human_seconds(c.form.form->terms.time) : "-", error ? human_error(*error) : "-",
                     fmt::format("{:g}", tolerance_), c.verdict(), c.remark()));
  }

private:
  [[nodiscard]] std::string row(const std::string& name, const std::string& simulated, const std::string& form,
                                const std::string& error, const std::string& tolerance, const std::string& verdict,
                                const std::string& why) const {
    return table_line(fmt::format("{:<{}}  {:>12}  {:>12}  {:>10}  {:>9}  {:<9}  {}", name, width_, simulated, form,
                                  error, tolerance, verdict, why));
  }

  std::size_t width_ = 8;
  double tolerance_;
};

int exit_code(const std::vector<FormCheck>& checks) {
  const auto any = [&](auto test) { return std::any_of(checks.begin(), checks.end(), test); };
  if (any([](const FormCheck& c) { return !c.time.finished(); })) return simulation_failed;
  if (any([](const FormCheck& c) { return c.comparison.verdict == Verdict::off; })) return check_failed;
  return done;
}

} // namespace

int check(const CheckOptions& options) {
  for (const auto& path : options.paths) refuse_standard_input("check", path);
  auto checks = load_checks(options.paths);
  if (options.json) {
    run_checks(checks, options.tolerance, options.jobs, [](const FormCheck&) {});
    print_result(json_text(json_of(checks, options.tolerance)));
  } else {
    const Table table(checks, options.tolerance);
    run_checks(checks, options.tolerance, options.jobs, [&](const FormCheck& c) {
      table.put(c);
      flush_result(); // users watch long checks
    });
    print_message(tallied(counted(std::ssize(checks), "scenario"), tally(checks)) + '\n');
  }
  return exit_code(checks);
}

} // namespace gradflight::cli
