// Whether text is UTF-8, as everything that the program reads has to be (RFC 3629).
#pragma once

#include <cstddef>
#include <string_view>

namespace gradflight {

/// Of the first byte that begins no character of UTF-8: overlong forms, surrogates and what lies beyond U+10FFFF are
/// none. npos where all of it is.
std::size_t not_utf8(std::string_view text);

} // namespace gradflight
