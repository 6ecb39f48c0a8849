#include "scenarios/language/json/diagnostics.hpp"

#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

TEST_CASE("a diagnostic is one line without control characters, whatever the input holds") {
  CHECK(format({"a\033.json", 1, 2, "/b\n/c", "\"d\x7F\" is not\ta time"}) ==
        "a\\u001b.json:1:2: /b\\u000a/c: \"d\\u007f\" is not\\u0009a time");
  const auto text = errors_with({R"(platform.no={"\u001b[31m\u0000": 1})",
                                 R"(platform.network.link.latency="5\u001bs")", R"(platform={"nodes\u0007": 8})"});
  CHECK(text.find_first_of(std::string("\033\0\a", 3)) == std::string::npos);
}

TEST_CASE("a value, key or name of a megabyte is not repeated") {
  const std::string huge(1'000'000, 'w');
  for (const auto& set :
       {"platform.network.link.latency=\"1" + huge + "\"", "platform.network.link.latency=" + huge,
        "platform.network.topology=" + huge, "platform." + huge + "=1", "platform.nodes=1" + huge,
        "platform.nodes=1e" + std::string(1'000'000, '9'), "platform={\"" + huge + "\":1,\"" + huge + "\":1}",
        "training.compression.tensors=" + huge, R"(training.compression={"ratio": 4, "except": [")" + huge + "\"]}"}) {
    INFO(set.substr(0, 60));
    const auto found = errors_of_text(minimal, {set});
    CHECK_FALSE(found.empty());
    CHECK(found.size() < 20'000);
  }
  // The advice is at the end.
  CHECK_THAT(format({"f", 1, 1, "/" + huge, "\"" + huge + "\" names no tensor; did you mean \"g\"?"}),
             Contains("f:1:1: /www") && Contains("\"www") && Contains("www...www") &&
                 Catch::EndsWith("w\" names no tensor; did you mean \"g\"?"));
  CHECK_THAT(format({"f", 0, 0, "", std::string(3999, 'y')}), Catch::EndsWith(": " + std::string(3999, 'y')));
}
