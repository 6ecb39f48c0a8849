#include "analysis/explore/regression/form_check.hpp"

#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

/// Returns a check in which the simulation took `factor` times the form's time; `holds` says whether an assumption
/// holds.
FormCheck check_off_by(double factor, bool holds = true) {
  FormCheck check{"a.json", Prepared(with({"name=a"})), {}};
  check.form = closed_form(check.prepared.scenario(), check.prepared.platform());
  check.form.form->assumptions.front() = {AssumptionId::links_alike, "links alike", holds, holds ? "" : "node3"};
  check.time.value = factor * check.form.form->terms.time;
  check.time.end.kind = WorkEnd::Kind::finished;
  check.comparison = compare(check.time.value, check.form);
  return check;
}

/// Returns one check for each verdict, in the order of their counts.
std::vector<FormCheck> check_of_each_verdict() {
  FormCheck ok = check_off_by(1), explained = check_off_by(2, false), off = check_off_by(2);
  FormCheck none = check_off_by(1), failed = check_off_by(1);
  none.form = {std::nullopt, "no closed form: it is a toy"};
  none.comparison = compare(none.time.value, none.form);
  failed.time.end.kind = WorkEnd::Kind::killed;
  failed.time.end.text = "SIGKILL";
  std::vector<FormCheck> checks;
  for (FormCheck* check : {&ok, &explained, &off, &none, &failed}) checks.push_back(std::move(*check));
  return checks;
}

} // namespace

TEST_CASE("a check says why it is not ok, and a failed simulation more than its comparison") {
  const auto checks = check_of_each_verdict();
  std::vector<std::string> verdicts, remarks;
  for (const FormCheck& check : checks) {
    verdicts.emplace_back(check.verdict());
    remarks.push_back(check.remark());
  }
  CHECK(verdicts == std::vector<std::string>{"ok", "explained", "off", "no form", "failed"});
  CHECK(remarks[0].empty());
  CHECK(remarks[1] == "an assumption fails: links alike (node3)");
  CHECK(remarks[2] == "unexplained");
  CHECK(remarks[3] == "no closed form: it is a toy");
  CHECK_THAT(remarks[4], Contains("SIGKILL"));
}

TEST_CASE("every verdict is counted, those of none as well") {
  auto checks = check_of_each_verdict();
  checks.push_back(check_off_by(2));
  using Counts = std::vector<std::pair<std::string, std::size_t>>;
  CHECK(tally(checks) == Counts{{"ok", 1}, {"explained", 1}, {"off", 2}, {"no form", 1}, {"failed", 1}});
  CHECK(tally({}) == Counts{{"ok", 0}, {"explained", 0}, {"off", 0}, {"no form", 0}, {"failed", 0}});
}

TEST_CASE("checks as JSON have the names that scripts use") {
  const auto json = json_of(check_of_each_verdict(), 1e-9);
  CHECK(json["tolerance"] == 1e-9);
  REQUIRE(json["scenarios"].size() == 5);
  const auto& off = json["scenarios"][2];
  CHECK(off["scenario"] == "a");
  CHECK(off["file"] == "a.json");
  CHECK(off["id"] == check_off_by(1).prepared.id());
  CHECK(off["relative_error"] == 1.0);
  CHECK(off["verdict"] == "off");
  CHECK(off["cause"] == "unexplained");
  CHECK(off["time_s"] == 2 * off["closed_form"]["time_s"].get<double>());
  CHECK(json["scenarios"][0]["cause"].is_null());
  CHECK(json["scenarios"][3]["closed_form"].is_null());
  CHECK(json["scenarios"][3]["verdict"] == "no_form");
  CHECK(json["scenarios"][4]["time_s"].is_null());
  CHECK(json["summary"]["no_form"] == 1);
}

TEST_CASE("a file that is wrong is told with all others, and nothing is checked") {
  const TemporaryDirectory directory;
  directory.write("a.json", minimal);
  directory.write("b.json", R"({ "platform": { "nodes": 0 } })");
  directory.write("c.json", R"({ "platform": 7 })");
  CHECK_THAT(errors_of([&] { load_checks({directory.path()}); }), Contains("b.json:1") && Contains("c.json:1"));
}

TEST_CASE("checks are reported in their order, within the tolerance that is asked for") {
  const TemporaryDirectory directory;
  auto checks = load_checks({directory.write("b.json", minimal), directory.write("a.json", minimal)});
  std::vector<std::string> told;
  run_checks(checks, 1e-9, 2, [&](const FormCheck& check) {
    told.push_back(check.file.filename());
    CHECK(std::string(check.verdict()) == "ok");
  });
  CHECK(told == std::vector<std::string>{"b.json", "a.json"});
  checks.front().form.form->terms.time *= 1.01;
  run_checks(checks, 1e-9, 1, [](const FormCheck&) {});
  CHECK(std::string(checks.front().verdict()) == "off");
  run_checks(checks, 0.1, 1, [](const FormCheck&) {});
  CHECK(std::string(checks.front().verdict()) == "ok");
}

TEST_CASE("a check names the traffic that shared a link, as a run does") {
  const TemporaryDirectory directory;
  // Half of 125 MB/s for 2 x 40 MB in each direction of a ring of two.
  auto checks = load_checks({directory.write("a.json", R"({ "platform": { "nodes": 2, "network": { "topology": "star",
      "link": { "bandwidth": "1Gbps", "latency": "0s" } } }, "workload": { "tensors": [{ "bytes": "80MB" }] },
    "training": { "exchange": { "algorithm": "ring" } }, "traffic": [{ "name": "backup", "from": 0, "to": 1 }] })")});
  run_checks(checks, 1e-9, 1, [](const FormCheck&) {});
  CHECK_THAT(checks.front().remark(), Contains("(with traffic backup) 640 ms"));
}
