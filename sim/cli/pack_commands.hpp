// `reproduce` and `calibrate PACK`: published figures held against simulated ones, and what is fitted to some of them.
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

struct ReproduceOptions {
  std::vector<std::string> papers; ///< names, or those of their directories; empty: all
  std::filesystem::path packs = "scenarios";
  std::filesystem::path report; ///< empty: none
  bool json = false;
  int jobs = 0; ///< 0: as many as there are cores to use
};
int reproduce(const ReproduceOptions& options);

struct CalibrateOptions {
  std::filesystem::path pack;
  bool write = false, transfer = false;
  int sets = 0; ///< of the cross-validation; 0: none
  std::int64_t seed = 1;
  int jobs = 0; ///< 0: as many as there are cores to use
};
int calibrate(const CalibrateOptions& options);

struct PackCommands {
  ReproduceOptions reproduce;
  CalibrateOptions calibrate;
};
/// Adds the commands; `action` becomes the chosen one.
void add_pack_commands(CLI::App& app, PackCommands& options, std::function<int()>& action);

} // namespace gradflight::cli
