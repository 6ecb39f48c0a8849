// `reproduce`: compares published figures with simulated ones.
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
  std::vector<std::string> papers; ///< names of papers or of their directories; with `measured`, of packs; empty: all
  std::filesystem::path packs = "scenarios";
  std::filesystem::path report;     ///< empty: none
  std::vector<std::string> command; ///< the words of the command line, for the page
  bool json = false, sensitivity = false, measured = false;
  int jobs = 0; ///< 0: all usable cores
};
int reproduce(const ReproduceOptions& options);
/// Reproduces packs of measured tables instead of papers.
int reproduce_measured(const ReproduceOptions& options);

/// Adds the command; sets `action` if the user chooses it.
void add_reproduce(CLI::App& app, ReproduceOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
