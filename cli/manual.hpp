// Manual pages and completion for shells, made from the same table of commands and options as the help.
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
  std::filesystem::path directory; ///< where manual pages go; must exist
};

/// Adds `completion` and `manual`, which packages call and the help does not list. `app` outlives what is called.
void add_manual(CLI::App& app, ManualOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
