// Text in UTF-8, the program's only encoding (RFC 3629). Text in UTF-16, as PowerShell and spreadsheets on Windows
// write it, becomes UTF-8 (RFC 2781).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gradflight {

/// Returns the offset of the first byte that begins no valid UTF-8 character; npos if all bytes are valid. Overlong
/// forms, surrogates and values beyond U+10FFFF are invalid.
std::size_t not_utf8(std::string_view text);

/// Returns the number of bytes of the character at the beginning of `text`, which must not be empty; 0 if none begins
/// there.
std::size_t utf8_length(std::string_view text);

/// Decodes a stream of UTF-16 piece by piece; a piece may end in the midst of a character.
class Utf16Decoder {
public:
  /// A decoder for a file that begins so: with a byte order mark, or with characters of ASCII beside bytes of 0. None
  /// if the file is not UTF-16.
  static std::optional<Utf16Decoder> of_file(std::string_view begin);

  /// The next piece in UTF-8, without the byte order mark. U+FFFD stands for half a surrogate pair.
  std::string decode(std::string_view piece);

private:
  explicit Utf16Decoder(bool big_endian) : big_endian_(big_endian) {}
  void take_unit(unsigned unit, std::string& text);

  bool big_endian_;
  bool at_start_ = true;
  std::optional<unsigned char> first_byte_{}; ///< of a unit whose second byte comes with the next piece
  unsigned high_ = 0;                         ///< the first half of a surrogate pair; 0: none
};

} // namespace gradflight
