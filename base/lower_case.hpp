#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// The text with ASCII's capital letters in lower case, whatever the locale; other bytes stay.
std::string lower_case(std::string_view text);

} // namespace gradflight
