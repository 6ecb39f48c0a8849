// The commands and options of the parser as a table. One of the few headers that include CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gradflight::cli {

struct TabledOption {
  std::vector<std::string> names; ///< as the user types them: "--json", "-h"; empty: a positional argument
  std::string value;              ///< "FILE", "N"; empty: the option takes no value
  std::string meaning;
  bool several = false, required = false;

  [[nodiscard]] bool takes_file() const; ///< whether the value may be a file or directory
};

struct TabledCommand {
  std::string words; ///< "run", "codec encode"; empty: the program itself
  std::string meaning, examples;
  std::vector<TabledOption> options;
  std::vector<std::string> subcommands; ///< their last words only
};

/// Returns the program, then every command with its subcommands, in order. Leaves out commands that the help does not
/// list.
std::vector<TabledCommand> command_table(const CLI::App& app);

} // namespace gradflight::cli
