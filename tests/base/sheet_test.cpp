#include "base/sheet.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;

namespace {

using Texts = std::vector<std::string>;

/// Returns each row as its line and its fields: "2: a|b".
Texts rows_in(const Sheet& sheet) {
  Texts all;
  for (const SheetRow& row : sheet.rows) {
    Texts fields;
    for (const CsvField& field : row.fields) fields.push_back(field.text);
    all.push_back(fmt::format("{}: {}", row.line, fmt::join(fields, "|")));
  }
  return all;
}

/// Returns each mistake as "line:column message".
Texts mistakes_in(const Sheet& sheet) {
  Texts all;
  for (const SheetMistake& each : sheet.mistakes)
    all.push_back(fmt::format("{}:{} {}", each.line, each.column, each.message));
  return all;
}

} // namespace

TEST_CASE("a sheet has a header and rows, without comments, blank lines and blanks around fields") {
  const Sheet sheet =
      read_sheet("\xEF\xBB\xBF# a comment\r\n\r\n name, size \r\n \t\r\n  # another\n a , \" b\" \n,\n");
  CHECK(sheet.mistakes.empty());
  CHECK(sheet.header.line == 3);
  CHECK(sheet.names() == Texts{"name", "size"});
  CHECK(sheet.header.fields[0].column == 2);
  CHECK(sheet.header.fields[1].column == 8);
  CHECK(sheet.index_of("size") == 1);
  CHECK(sheet.index_of("sizes") == 2);
  CHECK(rows_in(sheet) == Texts{"6: a| b", "7: |"});
}

TEST_CASE("a sheet without a header is a mistake, and one without rows is not") {
  for (const auto* text : {"", "\n", "# only a comment\n"})
    CHECK(mistakes_in(read_sheet(text)) == Texts{"1:1 the file has no header line with the column names"});
  CHECK(mistakes_in(read_sheet("a,b")).empty());
}

TEST_CASE("every mistake in the rows of a sheet is found, and the other rows are kept") {
  const Sheet sheet = read_sheet("a,b\n1,\"2\n1,2\n\"1\"0,\"2\"0\n1\n1,2,3\n\xC3\xA9\xFF,\"2\n");
  CHECK(mistakes_in(sheet) ==
        Texts{"2:3 this quote is never closed", "4:1 text follows this field's closing quote; put all of it in quotes",
              "4:6 text follows this field's closing quote; put all of it in quotes",
              "5:1 this row has 1 fields, but the header has 2 columns",
              "6:1 this row has 3 fields, but the header has 2 columns",
              "7:2 invalid UTF-8: byte 0xFF; save the file as UTF-8", "7:4 this quote is never closed"});
  CHECK(rows_in(sheet) == Texts{"3: 1|2"});
}

TEST_CASE("a name that appears twice is a mistake, and columns may lack a name") {
  const Sheet sheet = read_sheet("a,,b,,a\n1,2\n");
  CHECK(mistakes_in(sheet) ==
        Texts{"1:7 column \"a\" appears twice", "2:1 this row has 2 fields, but the header has 5 columns"});
  CHECK(sheet.index_of("a") == 0);
}

TEST_CASE("the rows of a header that cannot be read are checked by themselves") {
  const Sheet sheet = read_sheet("a,\"b\n1\n\"2\n");
  CHECK(mistakes_in(sheet) == Texts{"1:3 this quote is never closed", "3:1 this quote is never closed"});
  CHECK(sheet.header.fields.empty());
  CHECK(sheet.rows.empty());
}

TEST_CASE("another separator than commas is the only mistake that a sheet reports") {
  const auto mistakes = [](std::string_view text) { return mistakes_in(read_sheet(text)); };
  CHECK(mistakes("a;b\n1;2,3\n") == Texts{"1:1 semicolons separate the columns; expected commas"});
  CHECK(mistakes("\"a\";\"b\"\n\"1\";2\n") == Texts{"1:1 semicolons separate the columns; expected commas"});
  CHECK(mistakes("# here\na\tb\n") == Texts{"2:1 tabs separate the columns; expected commas"});
  CHECK(mistakes("a|b\n") == Texts{"1:1 bars separate the columns; expected commas"});
  for (const auto* header : {"a", "a\t", "a,b;c", "\"a;b\""}) CHECK(mistakes(header).empty());
}

TEST_CASE("a list has one value per line, which may contain commas and quotes") {
  const Sheet list = read_list("# values\n4\n\n  {\"a\": 1, \"b\": 2}\n\"x\xFF\n");
  CHECK(rows_in(list) == Texts{"2: 4", "4: {\"a\": 1, \"b\": 2}"});
  CHECK(list.rows[1].fields[0].column == 3);
  CHECK(mistakes_in(list) == Texts{"5:3 invalid UTF-8: byte 0xFF; save the file as UTF-8"});
  CHECK(list.names().empty());
}

TEST_CASE("property: a sheet has the fields that were written") {
  REQUIRE(rc::check("sheet", [](const std::vector<std::vector<bool>>& quoted) {
    const auto columns = *rc::gen::inRange<std::size_t>(1, 5);
    std::string text = "c0";
    for (std::size_t c = 1; c < columns; ++c) text += fmt::format(",c{}", c);
    Texts expected;
    for (std::size_t r = 0; r < quoted.size(); ++r) {
      Texts fields;
      for (std::size_t c = 0; c < columns; ++c)
        fields.push_back(c < quoted[r].size() && quoted[r][c] ? "x, \"y\";#" : fmt::format("{}", c));
      expected.push_back(fmt::format("{}: {}", r + 2, fmt::join(fields, "|")));
      text += '\n' + csv_line(fields);
      text.pop_back();
    }
    const Sheet sheet = read_sheet(text);
    RC_ASSERT(sheet.mistakes.empty());
    RC_ASSERT(rows_in(sheet) == expected);
  }));
}

TEST_CASE("property: every line of a sheet is a row or a mistake, and mistakes are in order") {
  REQUIRE(rc::check("lines", [] {
    const auto lines = *rc::gen::container<std::vector<std::string>>(
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,,\"\" ;\t\xFF\xC3\xA9"))));
    std::string text = "a,b\n";
    std::set<int> expected;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += lines[i] + '\n';
      if (!trimmed(lines[i]).empty()) expected.insert(static_cast<int>(i) + 2);
    }
    const Sheet sheet = read_sheet(text);
    std::set<int> told;
    for (const SheetRow& row : sheet.rows) told.insert(row.line);
    for (const SheetMistake& each : sheet.mistakes) {
      RC_ASSERT(!std::ranges::binary_search(sheet.rows, each.line, {}, &SheetRow::line));
      told.insert(each.line);
    }
    RC_ASSERT(told == expected);
    RC_ASSERT(std::ranges::is_sorted(sheet.mistakes));
  }));
}
