#include "scenarios/language/decode/edit_expectations.hpp"

#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>

using namespace gradflight;
using namespace gradflight::test;

namespace {

std::vector<Expectation> two(double first, double second) {
  return {{"time_s", first, 0, ""}, {"messages", second, 0, ""}};
}

} // namespace

TEST_CASE("a file says whether it expects something itself, whatever it inherits") {
  const TemporaryDirectory directory;
  directory.write("filled.json", R"({ "expect": [{ "quantity": "time_s", "value": 1 }] })");
  directory.write("empty.json", R"({ "expect": [] })");
  const auto own = [&](const std::string& text) { return own_expect(read_scenario(directory.write("s.json", text))); };
  for (const std::string base : {"filled.json", "empty.json"}) {
    const std::string extends = R"({ "extends": ")" + base + '"';
    CHECK(own(extends + " }") == OwnExpect::none);
    CHECK(own(extends + R"(, "expect": null })") == OwnExpect::none);
    CHECK(own(extends + R"(, "expect": [ ] })") == OwnExpect::empty);
    CHECK(own(extends + R"(, "expect": [{ "quantity": "time_s", "value": 1 }] })") == OwnExpect::filled);
  }
  CHECK(own("{}") == OwnExpect::none);
}

TEST_CASE("only the numbers that moved are replaced, whatever the file looks like") {
  // Unicode before the values, an escaped key, tabs, CRLF, unusual spacing, keys in any order, no newline at the end.
  const std::string before =
      "\xEF\xBB\xBF{\r\n\t\"description\" :\"\u00fc\u4e2d\U0001F600 \\\" [ { \",\"\\u0065xpect\":[\r\n"
      "{\"value\" :1.50e0 , \"quantity\":\"time_s\",\"why\":\"\u4e2d\u6587\" },\t{ \"why\": \"}]\", "
      "\"value\":112,\"tolerance\":1e-3, \"quantity\": \"messages\"}\r\n]\r\n}";
  SECTION("nothing moved: not a byte") { CHECK(with_expectations(before, two(1.5, 112)) == before); }
  SECTION("the first") {
    std::string after = before;
    after.replace(after.find("1.50e0"), 6, "1.25");
    CHECK(with_expectations(before, two(1.25, 112)) == after);
  }
  SECTION("both, of other lengths") {
    std::string after = before;
    after.replace(after.find("1.50e0"), 6, "0.14889000000000002");
    after.replace(after.find("112"), 3, "-7");
    CHECK(with_expectations(before, two(0.14889000000000002, -7)) == after);
  }
}

TEST_CASE("values on a line with characters of several bytes are found") {
  const std::string before = "{\"expect\":[{\"why\":\"\u00e9\u4e2d\U0001F600\",\"quantity\":\"time_s\",\"value\":1},"
                             "{\"why\":\"\U0001F600\",\"quantity\":\"messages\",\"value\":2}]}";
  std::string after = before;
  after.replace(after.find(":1}"), 3, ":3}");
  after.replace(after.find(":2}"), 3, ":4}");
  CHECK(with_expectations(before, two(3, 4)) == after);
}

TEST_CASE("an empty list is filled in the file's own layout") {
  SECTION("two spaces") {
    CHECK(with_expectations("{\n  \"extends\": \"a.json\",\n  \"expect\": []\n}\n", two(0.5, 112)) ==
          "{\n  \"extends\": \"a.json\",\n  \"expect\": [\n    { \"quantity\": \"time_s\", \"value\": 0.5 },\n"
          "    { \"quantity\": \"messages\", \"value\": 112 }\n  ]\n}\n");
  }
  SECTION("tabs and CRLF, keys after it") {
    CHECK(with_expectations("{\r\n\t\"expect\": [\r\n\t],\r\n\t\"extends\": \"a.json\"\r\n}\r\n", two(0.5, 112)) ==
          "{\r\n\t\"expect\": [\r\n\t\t{ \"quantity\": \"time_s\", \"value\": 0.5 },\r\n"
          "\t\t{ \"quantity\": \"messages\", \"value\": 112 }\r\n\t],\r\n\t\"extends\": \"a.json\"\r\n}\r\n");
  }
  SECTION("one line") {
    CHECK(with_expectations("{ \"expect\": [ ], \"extends\": \"a.json\" }", two(0.5, 112)) ==
          "{ \"expect\": [\n  { \"quantity\": \"time_s\", \"value\": 0.5 },\n"
          "  { \"quantity\": \"messages\", \"value\": 112 }\n], \"extends\": \"a.json\" }");
  }
}

TEST_CASE("a file that only inherits gets a list of its own after its last key") {
  const std::vector<Expectation> one = {{"time_s", 0.5, 0.01, "a \"reason\""}};
  const std::string entry = R"({ "quantity": "time_s", "value": 0.5, "tolerance": 0.01, "why": "a \"reason\"" })";
  CHECK(with_expectations("{\n    \"extends\": \"a.json\"\n}\n", one) ==
        "{\n    \"extends\": \"a.json\",\n    \"expect\": [\n        " + entry + "\n    ]\n}\n");
  CHECK(with_expectations("{ \"extends\": \"a.json\" }\n", one) ==
        "{ \"extends\": \"a.json\", \"expect\": [\n  " + entry + "\n] }\n");
  CHECK(with_expectations("{ \"extends\": \"a.json\",\n  \"engine\": \"simgrid\" }\n", one) ==
        "{ \"extends\": \"a.json\",\n  \"engine\": \"simgrid\",\n    \"expect\": [\n      " + entry + "\n    ]\n }\n");
}

TEST_CASE("a file that expects other quantities than were checked is refused") {
  const std::string text = R"({ "expect": [{ "quantity": "time_s", "value": 1 }] })";
  CHECK_THROWS_AS(with_expectations(text, two(1, 2)), ChangedMeanwhile);
  CHECK_THROWS_AS(with_expectations(text, {{"messages", 1, 0, ""}}), ChangedMeanwhile);
  CHECK_THROWS_AS(with_expectations("{", two(1, 2)), ChangedMeanwhile);
  CHECK_THROWS_AS(with_expectations(R"({ "expect": 7 })", two(1, 2)), ChangedMeanwhile);
}

TEST_CASE("any value that is written reads back to the same bits, at any place of any layout") {
  REQUIRE(rc::check("edit and decode", [](std::uint64_t first, std::uint64_t second, bool crlf) {
    double a = 0, b = 0;
    std::memcpy(&a, &first, sizeof a);
    std::memcpy(&b, &second, sizeof b);
    RC_PRE(std::isfinite(a) && std::isfinite(b));
    const std::string end = crlf ? "\r\n" : "\n";
    const auto padding = std::string(*rc::gen::inRange<std::size_t>(0, 5), ' ');
    const auto why = *rc::gen::element<std::string>("", "\u00fc", "\U0001F600 \\n");
    std::string text = minimal;
    const std::string list = "\"expect\":" + padding + "[" + end + "{\"why\":\"" + why + "\"," + padding +
                             "\"value\":" + padding + "0,\"quantity\":\"time_s\"}" + padding + "," +
                             "{\"quantity\":\"messages\",\"why\":\"" + why + "\",\"value\":1e300" + padding + "}]";
    text.insert(1, list + ",");
    const auto scenario = parse_scenario(with_expectations(text, two(a, b)), "s.json");
    RC_ASSERT(scenario.expect.size() == 2U);
    RC_ASSERT(scenario.expect[0].value == a);
    RC_ASSERT(scenario.expect[1].value == b);
  }));
}
