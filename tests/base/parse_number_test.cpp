#include "base/parse_number.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

using namespace gradflight;

TEST_CASE("a number is the whole text, and fits its type") {
  CHECK(parse_number<int>("-7") == -7);
  CHECK(parse_number<double>("1e-3") == 1e-3);
  CHECK(std::isnan(parse_number<double>("nan").value()));
  CHECK(parse_number<std::size_t>("18446744073709551615") == 18446744073709551615U);
  for (const char* text : {"", " 7", "7 ", "+7", "7x", "1,000", "2147483648"}) CHECK_FALSE(parse_number<int>(text));
  for (const char* text : {"", "1e400", "1,5", "0x10", "1e"}) CHECK_FALSE(parse_number<double>(text));
  CHECK_FALSE(parse_number<std::size_t>("-1"));
}
