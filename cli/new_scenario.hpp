// `new`: a first scenario, from flags or questions.
#pragma once

#include "analysis/explore/answers/first_scenario.hpp"

#include <filesystem>
#include <functional>

namespace CLI {
class App;
}

namespace gradflight::cli {

struct NewOptions {
  std::filesystem::path file; ///< empty: standard output
  FirstScenario said;
  bool ask = false;
};
int new_scenario(NewOptions options);
void add_new(CLI::App& app, NewOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
