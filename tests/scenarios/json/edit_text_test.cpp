#include "scenarios/language/json/edit_text.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("a scalar is replaced where it stands, nothing else") {
  const std::string text = "{\r\n\t\"a\": [1, \"2\\\"Gbps\", { \"b\":-1.5e3}],\"\xC3\xA4\": \"x\",   \"c\":7 }\r\n";
  CHECK(with_scalars(text, {{"/a/2/b", "8"}, {"/a/1", "\"5Gbps\""}, {"/c", "\"seven\""}}) ==
        "{\r\n\t\"a\": [1, \"5Gbps\", { \"b\":8}],\"\xC3\xA4\": \"x\",   \"c\":\"seven\" }\r\n");
  CHECK(with_scalars(text, {}) == text);
}

TEST_CASE("what is no number or text cannot be replaced") {
  CHECK_THROWS_AS(with_scalars("{ \"a\": [1] }", {{"/a", "2"}}), ChangedMeanwhile);
  CHECK_THROWS_AS(with_scalars("{ \"a\": [1] }", {{"/b", "2"}}), ChangedMeanwhile);
  CHECK_THROWS_AS(with_scalars("{ \"a\": [1]", {{"/a/0", "2"}}), ChangedMeanwhile);
  CHECK_THROWS_AS(with_scalars("[1]", {{"/0", "2"}}), ChangedMeanwhile);
}

TEST_CASE("a member is set in its place, or after the last one as the object is set") {
  CHECK(with_scalar_member("{ \"p\": [{ \"a\": 1, \"u\": 2 }] }", "/p/0", "u", "3") ==
        "{ \"p\": [{ \"a\": 1, \"u\": 3 }] }");
  CHECK(with_scalar_member("{ \"p\": [{ \"a\": \"}\" }, { \"a\": 2 }] }", "/p/0", "u", "3") ==
        "{ \"p\": [{ \"a\": \"}\", \"u\": 3 }, { \"a\": 2 }] }");
  CHECK(with_scalar_member("{\n  \"p\": {\n    \"a\": 1\n  }\n}\n", "/p", "u", "\"x\"") ==
        "{\n  \"p\": {\n    \"a\": 1,\n    \"u\": \"x\"\n  }\n}\n");
  CHECK(with_scalar_member("{ \"p\": { \"a\": 1,\n    \"b\": [ 2 ] } }", "/p", "u", "3") ==
        "{ \"p\": { \"a\": 1,\n    \"b\": [ 2 ], \"u\": 3 } }");
  CHECK_THROWS_AS(with_scalar_member("{ \"p\": 1 }", "/p", "u", "3"), ChangedMeanwhile);
}

TEST_CASE("a member taken out again leaves what was there before") {
  for (const std::string text : {"{ \"p\": { \"a\": 1 } }", "{\n  \"p\": {\n    \"a\": 1\n  }\n}\n"})
    CHECK(without_scalar_member(with_scalar_member(text, "/p", "u", "3"), "/p", "u") == text);
  CHECK(without_scalar_member("{ \"u\": 1, \"a\": 2 }", "", "u") == "{ \"a\": 2 }");
  CHECK(without_scalar_member("{ \"u\": \"1,\" }", "", "u") == "{  }");
  CHECK(without_scalar_member("{ \"a\": 1 }", "", "u") == "{ \"a\": 1 }");
}
