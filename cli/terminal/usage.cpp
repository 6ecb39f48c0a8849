#include "cli/terminal/usage.hpp"

#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"

#include <fmt/format.h>

namespace gradflight::cli {

int refuse_words(std::string_view command, const std::vector<std::string>& mistakes) {
  for (const std::string& mistake : mistakes) print_message(fmt::format("{}: {}\n", command, mistake));
  print_message(fmt::format("(see {} --help)\n", command));
  return bad_input;
}

} // namespace gradflight::cli
