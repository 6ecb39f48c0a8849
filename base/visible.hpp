// What others wrote, made harmless for a terminal: it takes control characters for commands.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// Control characters (of ASCII, and U+0080 to U+009F in UTF-8) as JSON writes them, "\u001b", but for those in `kept`.
std::string visible(std::string_view text, std::string_view kept = {});

} // namespace gradflight
