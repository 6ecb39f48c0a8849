// Checks that text is UTF-8 (RFC 3629); the program accepts no other encoding.
#pragma once

#include <cstddef>
#include <string_view>

namespace gradflight {

/// Returns the offset of the first byte that begins no valid UTF-8 character; npos if all bytes are valid. Overlong
/// forms, surrogates and values beyond U+10FFFF are invalid.
std::size_t not_utf8(std::string_view text);

} // namespace gradflight
