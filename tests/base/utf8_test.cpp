#include "base/utf.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

using namespace gradflight;

namespace {
/// Whether a JSON parser accepts the text.
bool json_takes(const std::string& text) { return nlohmann::json::accept('"' + text + '"'); }
} // namespace

TEST_CASE("the first byte that is no UTF-8 is found") {
  constexpr auto none = std::string_view::npos;
  CHECK(not_utf8("") == none);
  CHECK(not_utf8("plain") == none);
  CHECK(not_utf8("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80") == none);
  CHECK(not_utf8("ab\xA0") == 2);
  CHECK(not_utf8("a\xC3") == 1);         // cut off
  CHECK(not_utf8("\xC0\x80") == 0);      // overlong
  CHECK(not_utf8("x\xED\xA0\x80") == 1); // a surrogate
  CHECK(not_utf8("\xF4\x90\x80\x80") == 0);
}

TEST_CASE("as a JSON parser has it, over characters that are spoilt") {
  std::mt19937 random(7);
  const std::string good = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z\xED\x9F\xBF\xEF\xBF\xBD";
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (auto change = random() % 3; change-- > 0;)
      text[random() % text.size()] = static_cast<char>(0x80 + random() % 0x80);
    if (random() % 4 == 0) text.resize(random() % text.size());
    const bool is = not_utf8(text) == std::string_view::npos;
    refused += is ? 0 : 1;
    REQUIRE(is == json_takes(text));
  }
  CHECK(refused > 1000);
}
