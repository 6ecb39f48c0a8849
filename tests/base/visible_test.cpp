#include "base/visible.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace std::string_literals;

TEST_CASE("control characters become JSON's escapes, all else stays") {
  CHECK(visible("\033[31ma\0b\x7F\r\n"s) == "\\u001b[31ma\\u0000b\\u007f\\u000d\\u000a");
  CHECK(visible("a\n\tb\033", "\n\t") == "a\n\tb\\u001b");
  CHECK(visible("\xC2\x9B"
                "31m") == "\\u009b31m");
  CHECK(visible("\xC2\xA0\xC3\x9B \xE2\x82\x9B ~ \xC2") == "\xC2\xA0\xC3\x9B \xE2\x82\x9B ~ \xC2");
  CHECK(visible("").empty());
}
