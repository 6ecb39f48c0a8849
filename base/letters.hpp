// Letters of names and sentences, the same in every locale: only ASCII's change.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// The text with ASCII's capital letters in lower case; other bytes stay.
std::string lower_case(std::string_view text);
/// The text with its first letter as a capital.
std::string capitalised(std::string text);
/// What different spellings of a name share: lower case, without spaces, hyphens and underscores.
std::string common_spelling(std::string_view name);

} // namespace gradflight
