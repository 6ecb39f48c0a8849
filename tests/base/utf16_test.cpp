#include "base/utf.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace gradflight;

namespace {

std::string bytes_of(const std::u16string& text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8U), low = static_cast<char>(unit & 0xFFU);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

std::string decoded(const std::string& bytes, std::size_t piece) {
  auto decoder = Utf16Decoder::of_file(bytes);
  REQUIRE(decoder);
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += piece) text += decoder->decode(bytes.substr(at, piece));
  return text;
}

} // namespace

TEST_CASE("UTF-16 of either byte order becomes UTF-8, whatever the pieces are") {
  const std::u16string text = u"# nThread \u00e4\u20ac\U0001F600\r\n";
  const std::string wanted = "# nThread \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\r\n";
  for (const bool big_endian : {false, true})
    for (const std::size_t piece : {1U, 2U, 3U, 1000U}) {
      CHECK(decoded(bytes_of(u"\uFEFF" + text, big_endian), piece) == wanted);
      CHECK(decoded(bytes_of(text, big_endian), piece) == wanted);
    }
}

TEST_CASE("half a surrogate pair becomes U+FFFD, and half a unit at the end nothing") {
  const std::u16string high{0xD83D}, low{0xDE00};
  CHECK(decoded(bytes_of(u"\uFEFF" + high + u"a", false), 3) == "\xEF\xBF\xBD"
                                                                "a");
  CHECK(decoded(bytes_of(u"\uFEFF" + low + u"a", false), 3) == "\xEF\xBF\xBD"
                                                               "a");
  CHECK(decoded(bytes_of(u"\uFEFF" + high + high + low, true), 1) == "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  CHECK(decoded(bytes_of(u"\uFEFFab", false) + "c", 4) == "ab");
}

TEST_CASE("text in UTF-8, zeros, and short files are not taken for UTF-16") {
  for (const std::string& text : {std::string("# nThread 1"), std::string("\xEF\xBB\xBF# a log"), std::string(64, '\0'),
                                  std::string("a\0b\0", 4), std::string("\0\0# nThread 1", 13), std::string()})
    CHECK_FALSE(Utf16Decoder::of_file(text));
}
