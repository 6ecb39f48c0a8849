// Help that starts with examples.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace gradflight::cli {

/// Gives `app` (and every subcommand added to it later) a formatter that puts the command's examples first.
void use_examples(CLI::App& app);

/// What the help of `app`, a command or the whole program, begins with: "Examples:" and a line and a meaning each.
std::string examples_of(const CLI::App& app);

/// "run, check or sweep": those that were added to `app`, in their order.
std::string any_command(const CLI::App& app);
bool is_command(const CLI::App& app, std::string_view word);

/// The command nearest to a first word that is none; a file name gets "run" put before it. Empty where nothing is near.
std::string suggestion(const CLI::App& app, const std::string& word);

/// "; did you mean --report?" for the first option that the chosen command does not have. Empty where nothing is near.
std::string option_suggestion(const CLI::App& app);

} // namespace gradflight::cli
