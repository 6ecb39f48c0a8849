// `merge`: combines the results of all shards in one table.
#include "analysis/explore/sweeps/sweep_merge.hpp"
#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/explore/sweeps/sweep_text.hpp"
#include "analysis/run/files/output_file.hpp"
#include "base/human.hpp"
#include "base/usage_error.hpp"
#include "cli/sweep/sweep_commands.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <fmt/format.h>
#include <system_error>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

int report_conflicts(const std::vector<RecordConflict>& conflicts) {
  for (const auto& conflict : conflicts)
    print_message(
        fmt::format("point {} has two different results:\n  {}\n  {}\n", conflict.id, conflict.first, conflict.second));
  print_message("gradflight merge: nothing was written. One scenario has one result: two builds or machines disagree. "
                "Find out which is right and remove the other's records file.\n");
  return check_failed;
}

void report_rest(const MergedSweep& merged, const RecordSet& records) {
  std::string text;
  if (records.damaged_lines > 0)
    text += fmt::format("{} ignored as incomplete\n", counted(records.damaged_lines, "record"));
  if (merged.unknown > 0)
    text += fmt::format("{} ignored, because no point of this sweep has it (perhaps another model version wrote it)\n",
                        counted(merged.unknown, "record"));
  if (merged.missing > 0)
    text += fmt::format("{} missing: the sweep is incomplete, run it again\n", counted(merged.missing, "point"));
  text += empty_formulas_text(merged.table);
  flush_result();
  print_message(text);
}

/// Throws OutputError if one of the tables would replace a file of the user.
void require_own_tables(const fs::path& csv, const fs::path& sqlite) {
  constexpr auto kind = "a table of gradflight merge", way_out = "move it away";
  require_replaceable(csv, sweep_csv_opening, kind, way_out);
  std::error_code ignored;
  if (fs::is_regular_file(sqlite, ignored) && !fs::is_empty(sqlite, ignored) && !is_sweep_sqlite(sqlite))
    throw OutputError(fmt::format("{} exists and is not {}; {}", sqlite.string(), kind, way_out));
}

} // namespace

Sweep sweep_of(const fs::path& directory) {
  const auto file = directory / "sweep.json";
  if (std::error_code ignored; fs::status(file, ignored).type() == fs::file_type::not_found) { // else reading says why
    const char* why = !fs::exists(directory, ignored)         ? "no such directory"
                      : !fs::is_directory(directory, ignored) ? "it is a file, not a directory"
                                                              : "the directory has no sweep.json, so no sweep wrote it";
    throw UsageError(fmt::format("{}: {}; give the DIR of gradflight sweep SWEEP --out DIR", directory.string(), why));
  }
  return load_sweep(file.string(), quantity_names());
}

int merge(const fs::path& directory) {
  const Sweep sweep = sweep_of(directory);
  const auto records = read_records(directory);
  if (!records.conflicts.empty()) return report_conflicts(records.conflicts);
  const auto merged = merge_sweep(sweep, records);
  // Write both tables or none: the CSV table is complete on disk before the database is written, and replaces the old
  // one afterwards.
  const fs::path csv_path = directory / "results.csv", sqlite_path = directory / "results.sqlite";
  require_own_tables(csv_path, sqlite_path);
  OutputFile csv(csv_path);
  csv.write(sweep_csv(merged.table));
  csv.complete();
  write_sqlite(merged.table, sweep, sqlite_path);
  csv.commit();
  print_result(fmt::format("{} of {} in {} and results.csv\n", std::ssize(merged.table.rows),
                           counted(merged.points, "point"), sqlite_path.string()));
  report_rest(merged, records);
  return merged.missing > 0 ? incomplete : done;
}

} // namespace gradflight::cli
