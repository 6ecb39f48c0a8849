// Makes text from other sources safe for a terminal, which interprets control characters as commands.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// Escapes control characters (ASCII, and U+0080 to U+009F in UTF-8) as JSON does, "\u001b", except those in `kept`.
std::string visible(std::string_view text, std::string_view kept = {});

} // namespace gradflight
