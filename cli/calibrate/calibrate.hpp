// `calibrate`: parameters fitted by simulation, to measured times, to logs of benchmarks, or to a pack's figures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradflight::cli {

struct CalibrateOptions {
  std::vector<std::filesystem::path> files; ///< measurements (*.csv), logs (with `platform`) or a pack (*.json)
  int jobs = 0;                             ///< 0: as many as there are cores to use

  // Of measurements and of logs.
  std::filesystem::path out;       ///< empty: no platform file
  std::vector<std::string> sets;   ///< "PATH=VALUE", of every case's scenario, or of the platform
  std::vector<std::string> fit_to; ///< experiments, empty: p2p and reduce; or one operation, empty: by what there is
  bool json = false;

  // Of measurements.
  double above = 5e-3, tolerance = 0.1;

  // Of logs.
  std::string platform; ///< a file or a machine; empty: the files are no logs
  std::vector<std::string> predict, where;
  std::string algorithm, type, op; ///< empty: not said
  int ranks = 0, nodes = 0;        ///< 0: not said

  // Of packs.
  bool write = false, transfer = false;
  int random_sets = 0; ///< of the cross-validation; 0: none
  std::int64_t seed = 1;
};
int calibrate(const CalibrateOptions& options);
int calibrate_logs(const CalibrateOptions& options);
int calibrate_pack(const CalibrateOptions& options);
int calibrate_measured_pack(const CalibrateOptions& options);

/// Adds the command; `action` becomes it where it is chosen. Throws CLI::ValidationError on parsing where an option of
/// the one kind of file is given with the other.
void add_calibrate(CLI::App& app, CalibrateOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
