// Letters of names and sentences, independent of the locale: only ASCII letters change.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// Returns the text with ASCII capital letters in lower case; other bytes stay.
std::string lower_case(std::string_view text);
/// Returns the text with its first letter as a capital, except in names such as "xGMI".
std::string capitalised(std::string text);
/// Returns the common form of different spellings of a name: lower case, without spaces, hyphens and underscores.
std::string common_spelling(std::string_view name);

} // namespace gradflight
