#include "cli/terminal/set_option.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace gradflight::cli {

void add_sets(CLI::App& command, std::vector<std::string>& sets, const char* does) {
  command.add_option("--set", sets, fmt::format("{} before the run; VALUE is JSON, or else text; repeatable", does))
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

} // namespace gradflight::cli
