// `calibrate`: fits parameters by simulation to measured times, logs of benchmarks, or the figures of a pack.
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
  int jobs = 0;                             ///< 0: all usable cores

  // Options for measurements and for logs.
  std::filesystem::path out;     ///< empty: no platform file
  std::vector<std::string> sets; ///< "PATH=VALUE", for the scenario of every case, or for the platform
  /// Experiments (default: p2p and reduce), or one operation (default: depends on the logs).
  std::vector<std::string> fit_to;
  bool json = false;

  // Options for measurements.
  double above = 5e-3, tolerance = 0.1;

  // Options for logs.
  std::string platform; ///< a file or a machine; empty: the files are not logs
  std::vector<std::string> predict, where;
  std::string algorithm, type, op; ///< empty: not given
  int ranks = 0, nodes = 0;        ///< 0: not given

  // Options for packs.
  bool write = false, transfer = false;
  int random_sets = 0; ///< sets for the cross-validation; 0: none
  std::int64_t seed = 1;
};
int calibrate(const CalibrateOptions& options);
int calibrate_logs(const CalibrateOptions& options);
int calibrate_pack(const CalibrateOptions& options);
int calibrate_measured_pack(const CalibrateOptions& options);

/// Adds the command; sets `action` if the user chooses it. Parsing throws CLI::ValidationError if an option does not
/// apply to the kind of file.
void add_calibrate(CLI::App& app, CalibrateOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
