// Makes text safe for a terminal, which takes control characters as commands, and for a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Escapes control characters (ASCII, and U+0080 to U+009F in UTF-8) as JSON does, "\u001b", except those in `kept`.
std::string visible(std::string_view text, std::string_view kept = {});

/// Returns one line that a POSIX shell splits into the same words.
std::string shell_line(const std::vector<std::string>& words);

} // namespace gradflight
