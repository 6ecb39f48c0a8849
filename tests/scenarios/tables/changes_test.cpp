// `changes` of a scenario: reading an entry, a JSON file and a CSV file, and all mistakes together.
#include "tests/scenarios/support.hpp"

#include "scenarios/language/decode/canonical.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

std::string with_changes(const std::string& changes) {
  return R"({"platform":{"nodes":4,"network":{"topology":"star","link":{"bandwidth":"1Gbps"}}},
"workload":{"tensors":[{"name":"g","bytes":"4MB"}]},"training":{"exchange":{"algorithm":"ring"}},
"changes":)" +
         changes + "}";
}

std::vector<std::string> mistakes_in(const std::string& changes) {
  try {
    parse_scenario(with_changes(changes), "s.json");
  } catch (const InputErrors& errors) {
    std::vector<std::string> all;
    for (const Diagnostic& error : errors.diagnostics()) all.push_back(error.pointer + ": " + error.message);
    return all;
  }
  return {};
}

bool mentions(const std::vector<std::string>& all, const std::string& what) {
  return std::ranges::any_of(all, [&](const std::string& one) { return one.find(what) != std::string::npos; });
}

} // namespace

TEST_CASE("an entry says what changes, and what it becomes") {
  const Scenario s = parse_scenario(with_changes(R"([{"at":"1s","link":"node0.up","bandwidth":"8Gbps","latency":"1us"},
    {"at":"1s","nodes":"0-2","compute_speed":0.5,"period":"3s"},{"at":"2s","gpu":1,"state":"down"},
    {"at":"2s","nic":"node3","state":"up"},{"at":"2s","switch":"switch","latency":"0s"}])"),
                                    "s.json");
  REQUIRE(s.changes.size() == 5);
  CHECK(s.changes[0].link == "node0.up");
  CHECK(s.changes[0].bandwidth->value() == 1e9);
  CHECK(s.changes[0].latency->value() == 1e-6);
  CHECK(s.changes[1].nodes == std::vector<int>{0, 1, 2});
  CHECK(s.changes[1].period->value() == 3);
  CHECK(s.changes[2].gpu == 1);
  CHECK(s.changes[2].up == false);
  CHECK(s.changes[3].nic == "node3");
  CHECK(s.changes[4].switch_name == "switch");
  // Written and read again, it is the same.
  CHECK(canonical_json(parse_scenario(canonical_json(s), "s.json")) == canonical_json(s));
  CHECK(scenario_id(parse_scenario(with_changes("[]"), "s.json")) != scenario_id(s));
}

TEST_CASE("every mistake of a list of changes is told") {
  const auto all = mistakes_in(R"([{"at":"1s","link":"node0.up","bandwidth":"0Gbps"},
    {"at":"0.5s","link":"node0.up","bandwidth":"1Gbps"},{"at":"1s","link":"node0.up","nodes":1,"latency":"-1s"},
    {"at":"2s","nodes":1},{"at":"2s","gpu":1,"bandwidth":"1Gbps"},{"latency":"1s"},
    {"at":"2s","period":"2s","link":"node0.up","latency":"1s"},{"at":"2s","link":"node0.up","compute_speed":2},
    {"at":"2s","gpu":1,"compute_speed":0}])");
  CHECK(mentions(all, "/changes/0/bandwidth: bandwidth must be above zero; to take a link down"));
  CHECK(mentions(all, "/changes/2/latency"));
  CHECK(mentions(all, "/changes/3: this change has no effect"));
  CHECK(mentions(all, "/changes/4/bandwidth: a GPU has no bandwidth"));
  CHECK(
      mentions(all, "/changes/8/compute_speed: expected a number above 0 (to take a node or GPU down, set \"state\""));
  CHECK(mentions(all, "/changes/5: \"at\" is missing"));
  CHECK(mentions(all, "/changes/6/period: a period of 2 s must be longer"));
  CHECK(mentions(all, "/changes/7/compute_speed: allowed only with"));
  CHECK(
      mentions(mistakes_in(R"([{"at":"1s","link":"node0.up","nodes":1,"latency":"1s"}])"), "but this one has several"));
  CHECK(mentions(mistakes_in(R"([{"at":"1s","link":"node0.up","latency":"1s"},{"at":"0.5s","gpu":1,"state":"up"}])"),
                 "/changes/1/at: 0.5 s is earlier than the entry before, at 1 s"));
}

TEST_CASE("the list may be a file, and a broken row is told where it stands") {
  const TemporaryDirectory folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    return fmt::format("\"{}\"", name);
  };
  const auto read = [&](const std::string& path) { return parse_scenario(with_changes(path), folder.path("s.json")); };
  const Scenario inside = parse_scenario(
      with_changes(
          R"([{"at":"1s","link":"node0.up","bandwidth":"2Gbps"},{"at":"2s","nodes":"1-2","compute_speed":0.5}])"),
      "s.json");
  const auto csv =
      write("t.csv", "# a trace\nat,link,bandwidth,nodes,compute_speed\n1s,node0.up,2Gbps,,\n\n2s,,,1-2,0.5\n");
  const auto json = write(
      "t.json", R"([{"at":"1s","link":"node0.up","bandwidth":"2Gbps"},{"at":"2s","nodes":"1-2","compute_speed":0.5}])");
  CHECK(canonical_json(read(csv)) == canonical_json(inside));
  CHECK(canonical_json(read(json)) == canonical_json(inside));

  const auto broken = write("b.csv", "at,link,bandwith\n1s,node0.up\n");
  try {
    read(broken);
    FAIL("read");
  } catch (const InputErrors& errors) {
    REQUIRE(errors.diagnostics().size() == 2);
    CHECK(errors.diagnostics()[0].line == 1);
    CHECK(errors.diagnostics()[0].message.find("did you mean \"bandwidth\"") != std::string::npos);
    CHECK(errors.diagnostics()[1].line == 2);
    CHECK(errors.diagnostics()[1].message == "this row has 2 fields, but the header has 3 columns");
  }
  CHECK_THROWS_AS(read("\"none.csv\""), InputErrors);

  const auto messages_of = [&](const std::string& text) {
    try {
      read(write("q.csv", text));
    } catch (const InputErrors& errors) {
      std::vector<std::string> all;
      for (const Diagnostic& error : errors.diagnostics())
        all.push_back(fmt::format("{}:{}: {}", error.line, error.column, error.message));
      return all;
    }
    return std::vector<std::string>{};
  };
  using Messages = std::vector<std::string>;
  // The quote includes the commas after it, so the row would have too few fields. An open last field would not be
  // noticed.
  CHECK(messages_of("at,link,bandwidth\n1s,\"node0.up,2Gbps\n2s,node1.up,1Gbps\n3s,node0.up,\"2Gbps\n") ==
        Messages{"2:4: this quote is never closed", "4:13: this quote is never closed"});
  CHECK(messages_of("at,link,\"bandwidth\n1s,node0.up,2Gbps\n") == Messages{"1:9: this quote is never closed"});
  CHECK(messages_of("at,link,bandwidth\n1s,\"node0.up\",\"2Gbps\"\n").empty());
  // What follows a closing quote is not lost without a word.
  CHECK(messages_of("at,link,bandwidth\n1s,\"node0\".up,2Gbps\n") ==
        Messages{"2:4: text follows this field's closing quote; put all of it in quotes"});
  CHECK(messages_of("at,\"link\"s,bandwidth\n1s,node0.up,2Gbps\n") ==
        Messages{"1:4: text follows this field's closing quote; put all of it in quotes"});
  // Blanks around a field belong to nobody.
  CHECK(messages_of("at, link, bandwidth\n 1s , node0.up, \"2Gbps\" \n").empty());
  CHECK(messages_of("at,link,bandwidth\n1s, \"node0.up,2Gbps\n") == Messages{"2:5: this quote is never closed"});
  CHECK(messages_of("at,link,bandwidth\n1s,node0.\xFF,2Gbps\n") ==
        Messages{"2:10: invalid UTF-8: byte 0xFF; save the file as UTF-8"});
}
