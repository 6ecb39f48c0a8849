// `sweep`, `merge` and `analyze`: many points, and what became of them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace gradflight::cli {

/// Part `index` of `count`: the points whose place in the sweep is index modulo count.
struct Shard {
  int index = 0, count = 1;
};

struct SweepOptions {
  std::filesystem::path sweep, out;
  int jobs = 0;             ///< 0: as many as there are cores to use
  std::string shard;        ///< "I/N"; empty: Slurm's array task, else all
  std::string wall, memory; ///< quantities; empty: as the sweep file says
  bool retry = false;       ///< run again what was killed
  int slurm_tasks = 0;      ///< not 0: print the submission script instead
};
int sweep(const SweepOptions& options);

/// The script that submits the sweep as a job array, and a merge after it.
std::string slurm_script(const SweepOptions& options);

/// "I/N", or Slurm's environment where `text` is empty; throws std::invalid_argument with what is wrong.
Shard shard_of(const std::string& text);

int merge(const std::filesystem::path& directory);

struct AnalyzeOptions {
  std::filesystem::path directory, page; ///< page: empty: analysis.html in the directory
  std::string pareto;                    ///< "COLUMN,COLUMN"; empty: none
  std::string baseline;                  ///< "AXIS=VALUE"; empty: none
  double tolerance = 0;
};
int analyze(const AnalyzeOptions& options);

struct SweepCommands {
  SweepOptions sweep;
  std::filesystem::path merge;
  AnalyzeOptions analyze;
};
/// Adds the commands; `action` becomes the chosen one.
void add_sweep_commands(CLI::App& app, SweepCommands& options, std::function<int()>& action);

} // namespace gradflight::cli
