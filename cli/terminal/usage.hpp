// What a command prints about mistakes in its words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradflight::cli {

/// Prints the mistakes, each in a line, and which help to read. `command`: "gradflight codec stats". Returns the exit
/// code of bad input.
int refuse_words(std::string_view command, const std::vector<std::string>& mistakes);

} // namespace gradflight::cli
