#include "base/csv.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;

namespace {

std::vector<std::string> texts(std::string_view line) {
  std::vector<std::string> all;
  for (const auto& field : csv_fields(line)) all.push_back(field.text);
  return all;
}

} // namespace

TEST_CASE("a line has at least one field, and a comma separates two") {
  CHECK(texts("") == std::vector<std::string>{""});
  CHECK(texts(",") == std::vector<std::string>{"", ""});
  CHECK(texts("a, b ,c") == std::vector<std::string>{"a", " b ", "c"});
}

TEST_CASE("quotes hold commas and doubled quotes: what follows them is passed over") {
  CHECK(texts("\"a, \"\"b\"\"\",c") == std::vector<std::string>{"a, \"b\"", "c"});
  CHECK(texts("\"a\" ,b") == std::vector<std::string>{"a", "b"});
  CHECK(texts("a, \"b, c\"") == std::vector<std::string>{"a", "b, c"});
  CHECK(csv_fields("a, \"b\"")[1].column == 4);
  CHECK(csv_fields("\"a\"b,c")[0].more);
  CHECK_FALSE(csv_fields("\"a\" ,c")[0].more);
  CHECK(texts("\"never closed, b") == std::vector<std::string>{"never closed, b"});
  CHECK(texts("\"\"") == std::vector<std::string>{""});
  CHECK(csv_fields("\"a\",b")[0].quoted);
  CHECK_FALSE(csv_fields("\"a\",b")[1].quoted);
  CHECK(csv_fields("\"a\",b")[0].closed);
  CHECK(csv_fields("a,\"b\"")[1].closed);
  for (const auto* open : {"\"", "\"a, b", "\"a\"\"", "\"\"\""}) CHECK_FALSE(csv_fields(open)[0].closed);
}

TEST_CASE("columns count characters") {
  const auto fields = csv_fields("\xC3\xA9,\"b,\xC3\xA9\",c");
  CHECK(fields[0].column == 1);
  CHECK(fields[1].column == 3);
  CHECK(fields[2].column == 9);
}

TEST_CASE("property: what was written reads back") {
  REQUIRE(rc::check("csv", [](const std::vector<std::string>& fields) {
    RC_PRE(!fields.empty());
    auto line = csv_line(fields);
    RC_ASSERT(line.back() == '\n');
    line.pop_back();
    RC_ASSERT(texts(line) == fields);
  }));
}

TEST_CASE("lines lose their ends, and the file its byte order mark") {
  CHECK(text_lines("").empty());
  CHECK(text_lines("\xEF\xBB\xBF"
                   "a\r\n\nb") == std::vector<std::string_view>{"a", "", "b"});
  CHECK(text_lines("a\n") == std::vector<std::string_view>{"a"});
}
