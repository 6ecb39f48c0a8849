// Manual pages and shell completion, generated from the same table of commands and options as the help.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace gradflight::cli {

struct ManualOptions {
  std::string shell;               ///< bash, zsh or fish
  std::filesystem::path directory; ///< directory for the manual pages; must exist
};

/// Adds `completion` and `manual`. Packages call these; the help does not list them. `app` must outlive the action.
void add_manual(CLI::App& app, ManualOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
