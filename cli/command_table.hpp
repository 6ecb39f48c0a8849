// The commands and options as they were added to the parser. One of the few headers that see CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gradflight::cli {

struct TabledOption {
  std::vector<std::string> names; ///< "--json", "-h": as typed; empty: a positional
  std::string value;              ///< "FILE", "N"; empty: takes none
  std::string meaning;
  bool several = false, required = false;

  [[nodiscard]] bool takes_file() const; ///< a file or directory may stand there
};

struct TabledCommand {
  std::string words; ///< "run", "codec encode"; empty: the program itself
  std::string meaning, examples;
  std::vector<TabledOption> options;
  std::vector<std::string> subcommands; ///< their last words
};

/// The program, then every command and its subcommands, in their order; none that the help leaves out.
std::vector<TabledCommand> command_table(const CLI::App& app);

} // namespace gradflight::cli
