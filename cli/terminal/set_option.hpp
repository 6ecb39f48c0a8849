// The option --set of commands that take a scenario or a platform.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradflight::cli {

/// `does`: the beginning of its help.
void add_sets(CLI::App& command, std::vector<std::string>& sets, const char* does = "Change a value of the scenario");

} // namespace gradflight::cli
