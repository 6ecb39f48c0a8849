// `sweep`, `merge` and `analyze`: many points, and their results.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}
namespace gradflight {
struct Sweep;
}

namespace gradflight::cli {

struct SweepOptions {
  std::filesystem::path sweep, out;
  int jobs = 0;             ///< 0: all usable cores
  std::string shard;        ///< "I/N"; empty: Slurm's array task, else all
  std::string wall, memory; ///< quantities with units; empty: the values in the sweep file
  bool retry = false;       ///< repeat points that were killed
  int slurm_tasks = 0;      ///< if not 0: print the submission script instead
};
int sweep(const SweepOptions& options);

/// Returns the sweep whose results `directory` keeps. Throws UsageError if no sweep has written into it.
Sweep sweep_of(const std::filesystem::path& directory);

int merge(const std::filesystem::path& directory);

struct AnalyzeOptions {
  std::filesystem::path directory, page; ///< page: empty: analysis.html in the directory
  std::string pareto;                    ///< "COLUMN,COLUMN"; empty: none
  std::optional<std::string> fixed;      ///< axes; each of their values has a front; absent: the workload's axes
  std::string baseline;                  ///< "AXIS=VALUE"; empty: none
  std::vector<std::string> columns;      ///< "NAME=FORMULA"
  double tolerance = 0;
  std::vector<std::string> command; ///< the words of the command line, for the page
};
int analyze(const AnalyzeOptions& options);

struct SweepCommands {
  SweepOptions sweep;
  std::filesystem::path merge;
  AnalyzeOptions analyze;
};
/// Adds the commands; sets `action` to the chosen one.
void add_sweep_commands(CLI::App& app, SweepCommands& options, std::function<int()>& action);

} // namespace gradflight::cli
