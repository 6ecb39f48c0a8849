#include "scenarios/language/json/json_reader.hpp"

#include "tests/scenarios/support.hpp"
#include "tests/support/without_privileges.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

Node parsed(const std::string& text) {
  std::vector<Problem> problems;
  auto node = parse_json(text, 0, problems);
  REQUIRE(problems.empty());
  REQUIRE(node.has_value());
  return *node;
}

/// Returns "line:column pointer message" of the first problem.
std::string problem_of(const std::string& text) {
  std::vector<Problem> problems;
  CHECK_FALSE(parse_json(text, 0, problems).has_value());
  REQUIRE_FALSE(problems.empty());
  const auto& p = problems[0];
  return std::to_string(p.position.line) + ":" + std::to_string(p.position.column) + " " + p.pointer + " " + p.message;
}

} // namespace

TEST_CASE("every value and key knows where it was written") {
  const auto root = parsed("{ \"a\" : [1, -2.5e3 ,\n  true,null, \"x\\\"y\" ],\n\t\"é\": {\"ü\":\"ä\", \"z\": 7} }");
  CHECK(root.position == Position{0, 1, 1});
  const auto& a = root.members[0];
  CHECK(a.position == Position{0, 1, 3});
  CHECK(a.value.position == Position{0, 1, 9});
  CHECK(a.value.items[0].position == Position{0, 1, 10});
  CHECK(a.value.items[1].position == Position{0, 1, 13});
  CHECK(a.value.items[1].number == -2500);
  CHECK(a.value.items[2].position == Position{0, 2, 3});
  CHECK(a.value.items[3].position == Position{0, 2, 8});
  CHECK(a.value.items[4].position == Position{0, 2, 14});
  CHECK(a.value.items[4].text == "x\"y");
  const auto& e = root.members[1];
  CHECK(e.position == Position{0, 3, 2});
  CHECK(e.value.members[0].position == Position{0, 3, 8}); // counts characters, not bytes
  CHECK(e.value.members[0].value.position == Position{0, 3, 12});
  CHECK(e.value.members[1].value.position == Position{0, 3, 22});
  CHECK(e.value.members[1].value.integer == 7);
}

TEST_CASE("a byte order mark is no part of the text") {
  CHECK(parsed("\xEF\xBB\xBF[1]").position == Position{0, 1, 1});
}

TEST_CASE("numbers keep their value") {
  CHECK(parsed("9223372036854775807").integer == INT64_MAX);
  CHECK(parsed("18446744073709551615").number == 18446744073709551615.0);
  CHECK(parsed("18446744073709551615").kind == Node::Kind::number);
  CHECK(parsed("1e3").number == 1000);
}

TEST_CASE("what is not JSON is refused at its place") {
  CHECK(problem_of("{\"a\": 1, \"b\": {\"a\": 2, \"a\": 3}}") == "1:24 /b/a the key \"a\" appears twice");
  CHECK(problem_of("{\"l\": [{}, {\"k\": 1, \"k\": 1}]}") == "1:21 /l/1/k the key \"k\" appears twice");
  CHECK(problem_of("") == "1:1  the file is empty; a scenario is a JSON object");
  CHECK(problem_of(" \n ") == "2:2  the file is empty; a scenario is a JSON object");
  CHECK(problem_of("{\n \"a\": NaN}") == "2:7  NaN and infinity are not numbers in JSON: write a finite number");
  CHECK(problem_of("[Infinity]") == "1:2  NaN and infinity are not numbers in JSON: write a finite number");
  CHECK(problem_of("[-Infinity]") == "1:3  NaN and infinity are not numbers in JSON: write a finite number");
  CHECK_THAT(problem_of("[1e999]"), Catch::Contains("the number 1e999 is too large for a double"));
  CHECK(problem_of("{\"a\": 1,\n}") ==
        "2:1  not valid JSON: expected a key in double quotes, got \"}\"; remove the comma before it");
  CHECK(problem_of("[1, ]") == "1:5  not valid JSON: expected a value, got \"]\"; remove the comma before it");
  CHECK(problem_of("{\"a\": }") == "1:7  not valid JSON: expected a value, got \"}\"");
  CHECK(problem_of("{\"a\" 1}") == "1:6  not valid JSON: expected \":\" after the key, got a number");
  CHECK(problem_of("[1] 2") == "1:5  not valid JSON: expected the end of the file, got a number");
  CHECK(problem_of("[1] x") == "1:5  not valid JSON: expected the end of the file");
  CHECK(problem_of("[ring]") == "1:2  not valid JSON: expected a value; put text in double quotes");
  CHECK(problem_of("{a: 1}") == "1:2  not valid JSON: expected a key in double quotes");
  CHECK(problem_of("[1 true]") == "1:7  not valid JSON: expected \",\" or \"]\", got true");
  CHECK(problem_of("{\"a\": 1 \"b\"}") == "1:11  not valid JSON: expected \",\" or \"}\", got a text");
  CHECK(problem_of("[1, 2") == "1:6  not valid JSON: expected \",\" or \"]\", got the end of the file");
  CHECK(problem_of("[\"a") == "1:4  not valid JSON: this text has no closing quote");
  CHECK(problem_of("[-]") == "1:3  not valid JSON: a digit must follow the minus sign");
  CHECK(problem_of("[\"\\x\"]") ==
        "1:4  not valid JSON: this character must not follow a backslash; write \\\\ for a backslash");
  CHECK(problem_of("[\"a\nb\"]") ==
        "1:4  not valid JSON: a text must not contain control character U+000A (LF); write \\u000A or \\n");
  CHECK_THAT(problem_of("{'a': 1}"), Catch::StartsWith("1:2  JSON strings need double quotes"));
  CHECK_THAT(problem_of("[1] // one"), Catch::StartsWith("1:5  JSON has no comments"));
  CHECK_THAT(problem_of("[\"\xC3\x28\"]"), Catch::Contains("invalid UTF-8"));
  CHECK_THAT(problem_of(std::string("\x7F"
                                    "ELF\x02\x01\x01\0\0",
                                    9)),
             Catch::Contains("not valid JSON"));
}

TEST_CASE("a NUL byte does not end the text") {
  using namespace std::string_literals;
  CHECK_THAT(problem_of("{\"a\":\n1}\n \0, \"b\": }"s), Catch::StartsWith("3:2  not valid JSON: a NUL byte is here"));
  CHECK_THAT(problem_of("[1, \0 2]"s), Catch::StartsWith("1:5  not valid JSON: a NUL byte is here"));
  CHECK_THAT(problem_of("[\"a\0\"]"s), Catch::Contains("a NUL byte is here"));
  CHECK_THAT(problem_of("[1]\0"s), Catch::StartsWith("1:4  not valid JSON: a NUL byte is here"));
  CHECK_THAT(problem_of(std::string(3, '\0')), Catch::StartsWith("1:1  not valid JSON: a NUL byte is here"));
  CHECK(parsed("[\"\\u0000\"]").items[0].text == "\0"s);
}

TEST_CASE("nesting has a limit") {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
  };
  parsed(nested(max_json_depth));
  CHECK(problem_of(nested(max_json_depth + 1)) == "1:65  nested deeper than 64 levels");
  CHECK(problem_of(std::string(1'000'000, '[')) == "1:65  nested deeper than 64 levels");
}

TEST_CASE("every file that is none says why") {
  const TemporaryDirectory dir;
  const auto error = [&](const std::string& name) { return errors_of([&] { load_scenario(dir.path(name)); }); };
  CHECK(error("none.json") == dir.path("none.json") + ": no such file\n");
  CHECK(error("") == dir.path() + ": it is a directory, not a file\n");
  dir.write("empty.json", "");
  CHECK(error("empty.json") == dir.path("empty.json") + ":1:1: the file is empty; a scenario is a JSON object\n");
  dir.write("list.json", "[1]");
  CHECK_THAT(error("list.json"),
             Catch::Contains("list.json:1:1: expected an object with name, ") && Catch::Contains(", got a list"));
  dir.write("large.json", "{}");
  std::filesystem::resize_file(dir.path("large.json"), 100'000'000);
  CHECK(error("large.json") == dir.path("large.json") + ": the file is larger than 16 MiB, the limit for a scenario\n");
  dir.write("secret.json", "{}");
  std::filesystem::permissions(dir.path("secret.json"), std::filesystem::perms::none);
  const WithoutPrivileges nobody;
  CHECK_THAT(error("secret.json"), Catch::Contains("cannot be opened: Permission denied"));
}
