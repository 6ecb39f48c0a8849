// `reproduce`: published figures held against simulated ones.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradflight::cli {

struct ReproduceOptions {
  std::vector<std::string> papers; ///< names, or those of their directories; measured: of packs; empty: all
  std::filesystem::path packs = "scenarios";
  std::filesystem::path report;     ///< empty: none
  std::vector<std::string> command; ///< the words of the command line, for the page
  bool json = false, sensitivity = false, measured = false;
  int jobs = 0; ///< 0: as many as there are cores to use
};
int reproduce(const ReproduceOptions& options);
/// Packs of measured tables instead of the papers'.
int reproduce_measured(const ReproduceOptions& options);

/// Adds the command; `action` becomes it where it is chosen.
void add_reproduce(CLI::App& app, ReproduceOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
