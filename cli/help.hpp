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

/// Returns "unknown option --reprot; did you mean --report?" or "unexpected argument 'ms'; ..." for the first word that
/// the chosen command does not take. Empty if it takes all.
std::string unknown_word(const CLI::App& app);

/// Returns "--report needs a value: --report FILE" for CLI11's text of a missing value, and any other text as it is.
std::string usage_text(const std::string& text);

} // namespace gradflight::cli
