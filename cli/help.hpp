// Help that starts with examples.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace gradflight::cli {

/// Gives `app` (and every subcommand added to it later) a formatter that puts the command's examples first.
void use_examples(CLI::App& app);

bool is_command(const std::string& word);

/// The command nearest to a first word that is none; a file name gets "run" put before it. Empty where nothing is near.
std::string suggestion(const std::string& word);

} // namespace gradflight::cli
