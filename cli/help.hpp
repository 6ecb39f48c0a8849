// Help that starts with examples.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace gradflight::cli {

/// Gives `app` and every subcommand that is added later a formatter that prints the command's examples first.
void use_examples(CLI::App& app);

/// Returns the beginning of the help of `app` (a command or the program): "Examples:", then one line and its meaning
/// for each.
std::string examples_of(const CLI::App& app);

/// Returns "run, check or sweep": the commands in `app`, in order.
std::string any_command(const CLI::App& app);
bool is_command(const CLI::App& app, std::string_view word);

/// Returns the command nearest to an unknown first word. For the name of a file, suggests "run" before it. Empty if
/// none is near.
std::string suggestion(const CLI::App& app, const std::string& word);

/// Returns the description of an option with its default and the options that it needs or excludes.
std::string option_meaning(const CLI::Option& option);

} // namespace gradflight::cli
