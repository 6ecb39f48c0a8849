// Names and sentences, independent of the locale: only ASCII letters change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Returns the text with ASCII capital letters in lower case; other bytes stay.
std::string lower_case(std::string_view text);
/// Returns the text with its first letter as a capital, except in names such as "xGMI".
std::string capitalised(std::string text);
/// Returns the common form of different spellings of a name: lower case, without spaces, hyphens and underscores.
std::string common_spelling(std::string_view name);
/// "a", "a or b", "a, b or c"; `last` stands before the last item.
std::string enumerated(const std::vector<std::string>& items, std::string_view last = " or ");

} // namespace gradflight
