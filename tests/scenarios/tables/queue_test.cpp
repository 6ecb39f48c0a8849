// Lists of jobs: CSV, JSON and the Standard Workload Format, and all their mistakes together.
#include "tests/scenarios/support.hpp"

#include "scenarios/language/decode/canonical.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

std::string with_list(const std::string& jobs, const std::string& more = "") {
  return R"({"platform":{"nodes":4,"network":{"topology":"star","link":{"bandwidth":"1Gbps"}}},
"workload":{"tensors":[{"name":"g","bytes":"4MB"}]},"training":{"exchange":{"algorithm":"ring"}})" +
         more + R"(,"jobs":)" + jobs + "}";
}

struct Lists {
  TemporaryDirectory folder;
  Scenario read(const std::string& name, const std::string& text, const std::string& more = "") {
    folder.write(name, text);
    return parse_scenario(with_list(fmt::format(R"({{"file":"{}"}})", name), more), folder.path("s.json"));
  }
  /// Returns "line:column pointer: message".
  std::vector<std::string> mistakes(const std::string& name, const std::string& text, const std::string& more = "") {
    try {
      read(name, text, more);
    } catch (const InputErrors& errors) {
      std::vector<std::string> all;
      for (const Diagnostic& e : errors.diagnostics())
        all.push_back(fmt::format("{}:{} {}: {}", e.line, e.column, e.pointer, e.message));
      return all;
    }
    return {};
  }
};

bool tells(const std::vector<std::string>& all, const std::string& what) {
  return std::ranges::any_of(all, [&](const std::string& one) { return one.find(what) != std::string::npos; });
}

std::string swf(const std::string& number, const std::string& submit, const std::string& ran, const std::string& used,
                const std::string& asked, const std::string& estimate, const std::string& status = "1") {
  return fmt::format("{} {} 0 {} {} -1 -1 {} {} -1 {} 1 1 1 1 1 -1 -1\n", number, submit, ran, used, asked, estimate,
                     status);
}

} // namespace

TEST_CASE("a list is the same from a CSV, a JSON and the scenario itself") {
  Lists lists;
  const Scenario csv = lists.read("j.csv", "# who came when\nname,arrival,gpus,iterations,estimate\na,0s,2,100,20s\n\n"
                                           "b,1.5s,4,30,\n");
  REQUIRE(csv.queue);
  REQUIRE(csv.queue->list.size() == 2);
  CHECK(csv.queue->policy == QueuePolicy::fcfs);
  CHECK(csv.queue->list[0].name == "a");
  CHECK(csv.queue->list[0].estimate->value() == 20);
  CHECK(csv.queue->list[1].arrival.value() == 1.5);
  CHECK(csv.queue->list[1].gpus == 4);
  CHECK(csv.queue->list[1].iterations == 30);
  CHECK_FALSE(csv.queue->list[1].estimate);
  const std::string rows = R"([{"name":"a","arrival":"0s","gpus":2,"iterations":100,"estimate":"20s"},
                               {"name":"b","arrival":"1.5s","gpus":4,"iterations":30}])";
  CHECK(canonical_json(lists.read("j.json", rows)) == canonical_json(csv));
  const Scenario here = parse_scenario(with_list(R"({"file":)" + rows + "}"), lists.folder.path("s.json"));
  CHECK(canonical_json(here) == canonical_json(csv));
  CHECK(canonical_json(parse_scenario(canonical_json(csv), "s.json")) == canonical_json(csv));
  CHECK(scenario_id(here) == scenario_id(csv));
  const Scenario filled = parse_scenario(with_list(R"({"file":)" + rows + R"(,"queue":"backfill"})"), "s.json");
  CHECK(filled.queue->policy == QueuePolicy::backfill);
  CHECK(scenario_id(filled) != scenario_id(csv));
}

TEST_CASE("of a trace in the Standard Workload Format five numbers count") {
  Lists lists;
  const Scenario s =
      lists.read("t.swf", "; Computer: a test\n;\n" + swf("7", "10", "3600", "2", "4", "7200") +
                              swf("8", "10.5", "60", "3", "-1", "-1") + swf("9", "11", "0", "1", "1", "5") +
                              swf("10", "12", "-1", "-1", "4", "50", "5") + // cancelled before it ran
                              "\n");
  REQUIRE(s.queue);
  const auto& list = s.queue->list;
  REQUIRE(list.size() == 3);
  CHECK(list[0].name == "7");
  CHECK(list[0].arrival.value() == 10);
  CHECK(list[0].gpus == 4); // the requested number, not the used one
  CHECK(list[0].run_time->value() == 3600);
  CHECK(list[0].estimate->value() == 7200);
  CHECK(list[1].gpus == 3);
  CHECK(list[1].arrival.value() == 10.5);
  CHECK_FALSE(list[1].estimate);
  CHECK(list[2].iterations == 1);
  CHECK_FALSE(list[2].run_time);
}

TEST_CASE("every mistake of a trace is told at once, with its line and column") {
  Lists lists;
  const auto all = lists.mistakes("t.swf", "; header\n" + swf("1", "10", "60", "2", "5", "60") + // line 2: too large
                                               swf("2", "9", "60", "2", "2", "60") +             // line 3: backwards
                                               "3 20 0 60 2\n" +                                 // line 4: cut off
                                               swf("4", "21", "6o", "2", "2", "60") +            // line 5: no number
                                               swf("1", "22", "60", "2", "2", "60") +            // line 6: same name
                                               swf("5", "-3", "60", "-1", "-1", "60") + // line 7: nothing known
                                               swf("6", "23", "-1", "2", "1.5", "60")); // line 8
  CHECK(tells(all, "2:19 /jobs/file/0/gpus: the job needs 5 GPUs"));
  CHECK(tells(all, "3:3 /jobs/file/1/arrival: 9 s is earlier than the job before, at 10 s"));
  CHECK(tells(all, "4:1 /jobs/file: this row has 5 fields"));
  CHECK(tells(all, "5:8 /jobs/file: expected a number (run time), got \"6o\""));
  CHECK(tells(all, "6:1 /jobs/file/2/name: job 0 has the same name"));
  CHECK(tells(all, "7:3 /jobs/file/3/arrival"));
  CHECK(tells(all, "7:1 /jobs/file/3: \"gpus\" is missing"));
  CHECK(tells(all, "8:19 /jobs/file/4/gpus: expected an integer"));
  CHECK(tells(lists.mistakes("e.swf", "; nothing\n"), "the trace contains no job"));
  CHECK(tells(lists.mistakes("n.swf", "\x1f\x8b\x08\n"), "this file is packed with gzip: unpack it first"));
  CHECK(tells(lists.mistakes("t.txt", "1 0 10\n"), "this row has 3 fields, but a job in the Standard Workload Format"));
  CHECK(tells(lists.mistakes("c.swf", swf("1", "1", "-1", "-1", "4", "50", "0")), "the trace contains no job"));
}

TEST_CASE("every mistake of a CSV is told at once") {
  Lists lists;
  const auto all = lists.mistakes("j.csv", "name,arrival,gpus,iterations,run_time,estimate\n"
                                           "a,2s,5,10,,\n"     // too large
                                           "b,1s,1,10,,\n"     // backwards
                                           "c,3s,1,10\n"       // cut off
                                           "d,3,0,10,,\n"      // no unit, no GPU
                                           "e,4s,1,,,\n"       // nothing to do
                                           "f,4s,1,10,5s,\n"   // twice as much as needed
                                           "g,4s,1,ten,,0s\n"  // no number; no time
                                           "a,5s,one,10,,\n"); // no number
  CHECK(tells(all, "2:6 /jobs/file/0/gpus: the job needs 5 GPUs"));
  CHECK(tells(all, "3:3 /jobs/file/1/arrival: 1 s is earlier than the job before, at 2 s"));
  CHECK(tells(all, "4:1 /jobs/file: this row has 4 fields, but the header has 6 columns"));
  CHECK(tells(all, "5:3 /jobs/file/2/arrival"));
  CHECK(tells(all, "5:5 /jobs/file/2/gpus"));
  CHECK(tells(all, "6:1 /jobs/file/3: a job needs \"iterations\""));
  CHECK(tells(all, "7:1 /jobs/file/4: give either \"iterations\" or \"run_time\""));
  CHECK(tells(all, "8:8 /jobs/file/5/iterations"));
  CHECK(tells(all, "/jobs/file/5/estimate"));
  CHECK(tells(all, "9:6 /jobs/file/6/gpus"));
  const auto columns = lists.mistakes("k.csv", "arrival,gpu,iterations\n1s,1,1\n");
  CHECK(tells(columns, "1:9 /jobs/file: unknown column \"gpu\"; did you mean \"gpus\"?"));
  CHECK(tells(lists.mistakes("s.csv", "name;arrival;gpus;iterations\na;0s;8;100\n"),
              "1:1 /jobs/file: semicolons separate the columns; expected commas"));
  CHECK(tells(lists.mistakes("l.csv", ""), "the file has no header line with the column names"));
  CHECK(tells(lists.mistakes("m.csv", "arrival,gpus,iterations\n"), "an empty list"));
  CHECK_THROWS_AS(parse_scenario(with_list(R"({"file":"none.swf"})"), lists.folder.path("s.json")), InputErrors);
}

TEST_CASE("what a list of jobs does not go with is refused") {
  Lists lists;
  const std::string rows = "arrival,gpus,iterations\n0s,2,5\n";
  const auto refused = [&](const std::string& more) { return lists.mistakes("j.csv", rows, more); };
  CHECK(refused("").empty());
  CHECK(tells(refused(R"(,"traffic":[{"from":0,"to":1}])"), "/traffic: "));
  CHECK(tells(refused(R"(,"changes":[{"at":"1s","link":"node0.up","latency":"1us"}])"), "/changes: "));
  CHECK(tells(refused(R"(,"failures":{"nodes":{"mtbf":"1h","mttr":"1s"}})"), "/failures: "));
  CHECK(tells(refused(R"(,"engine":"simgrid")"), "/engine: "));
  CHECK(tells(refused(R"(,"placement":"cyclic")"), "/placement: "));
  const auto list = [&](const std::string& form) {
    try {
      parse_scenario(with_list(form), "s.json");
    } catch (const InputErrors& errors) {
      return errors.diagnostics().front().pointer + ": " + errors.diagnostics().front().message;
    }
    return std::string();
  };
  const std::string one = R"({"file":[{"arrival":"0s","gpus":1,"iterations":1}])";
  CHECK(list(one + "}").empty());
  CHECK(list(one + R"(,"queue":"lifo"})").starts_with("/jobs/queue: "));
  CHECK(list(one + R"(,"seed":3})").starts_with("/jobs/seed: "));
  CHECK(list(one + R"(,"placement":"by_rack"})").starts_with("/jobs/placement: "));
  CHECK(list(R"({"queue":"fcfs"})").find("\"file\" is missing") != std::string::npos);
  CHECK(list("3").starts_with("/jobs: expected"));
}
