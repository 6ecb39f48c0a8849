// `analyze`: the findings of a sweep as a table, and as a page of charts.
#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/explore/sweeps/sweep_text.hpp"
#include "analysis/run/files/output_file.hpp"
#include "analysis/run/pages/page.hpp"
#include "base/human.hpp"
#include "base/visible.hpp"
#include "cli/sweep/sweep_commands.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/usage.hpp"
#include "scenarios/language/sweeps/sweep_formulas.hpp"

#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <string>

namespace gradflight::cli {
int analyze(const AnalyzeOptions& options) {
  Sweep sweep = sweep_of(options.directory);
  const std::size_t swept = sweep.formulas.size(), kept = quantity_columns(sweep).size();
  std::vector<std::string> wrong;
  const auto read = [&](const char* prefix, const auto& option) {
    try {
      option();
    } catch (const std::invalid_argument& error) {
      wrong.push_back(fmt::format("{}{}", prefix, error.what()));
    }
  };
  for (const auto& column : options.columns) read("--column: ", [&] { add_formula(sweep, column, quantity_names()); });
  if (const auto columns = quantity_columns(sweep); columns.size() > kept)
    wrong.push_back(fmt::format(
        "--column: the sweep did not keep {}: add it to \"keep\", or the formula to \"columns\", and sweep again",
        columns[kept].name));
  const bool columns_known = wrong.empty();
  if (!columns_known)
    sweep.formulas.erase(sweep.formulas.begin() + static_cast<std::ptrdiff_t>(swept), sweep.formulas.end());
  const auto merged = merge_sweep(sweep, read_records(options.directory));
  const auto& table = merged.table;
  for (std::size_t i = swept; i < table.formulas.size(); ++i)
    if (empty_cells(table, table.formulas[i]).all())
      wrong.push_back(fmt::format("--column: {}", empty_formula_text(table, table.formulas[i])));
  AnalysisView view{sweep.name, options.tolerance, {}, {}, {}, {}};
  if (options.fixed && options.pareto.empty())
    wrong.emplace_back("--fix has an effect only with --pareto COLUMN,COLUMN: add it, or leave --fix out");
  else if (!options.pareto.empty() && columns_known)
    read("", [&] { view.pareto = pareto_of(table, options.pareto, options.fixed); });
  if (!options.baseline.empty()) read("", [&] { view.baseline = baseline_of(table, options.baseline); });
  if (!wrong.empty()) return refuse_words("gradflight analyze", wrong);
  if (merged.missing > 0)
    view.incomplete = fmt::format("{} missing: the sweep is incomplete", counted(merged.missing, "point"));
  const auto analysis = analyse(table, options.tolerance);
  for (const auto& formula : table.formulas)
    if (formula.against) view.formulas.push_back(analyse_formula(table, formula, options.tolerance));
  const auto file = options.page.empty() ? options.directory / "analysis.html" : options.page;
  require_replaceable(file, page_opening, "a page of gradflight",
                      options.page.empty() ? "move it away, or give another name with --report" : "give another name");
  std::optional<OutputFile> page;
  std::string no_page;
  try {
    page.emplace(file);
  } catch (const OutputError& error) {
    if (!options.page.empty()) throw; // the user named the file
    no_page = error.what();
  }
  print_result(analysis_text(table, analysis, view.formulas));
  if (view.pareto) print_result(pareto_text(table, *view.pareto));
  if (view.baseline) print_result(speedup_text(table, *view.baseline));
  if (page) {
    page->write(analysis_page(table, analysis, view, shell_line(options.command)));
    page->commit();
    print_result(fmt::format("\nCharts: {}\n", file.string()));
  }
  flush_result();
  if (!page)
    print_message(
        fmt::format("gradflight: {}: the charts are not written; --report FILE takes another place\n", no_page));
  print_message(empty_formulas_text(table));
  if (merged.missing > 0) print_message(view.incomplete + '\n');
  if (!page) return simulation_failed;
  return merged.missing > 0 ? incomplete : done;
}

} // namespace gradflight::cli
