// A collective that only this test has, without a closed form. One row is enough to offer, run, check and plan it, and
// each command reports what is missing.
#include "analysis/explore/regression/form_check.hpp"
#include "analysis/run/text/report.hpp"
#include "models/schedules/algorithms/ring.hpp"
#include "models/schedules/catalogue.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/training/plan_text.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using Catch::Contains;

namespace gradflight {

/// Replaces the library's function.
std::span<const Collective> collectives() {
  static const std::vector<Collective> rows = [] {
    const auto shipped = shipped_collectives();
    std::vector<Collective> all(shipped.begin(), shipped.end());
    Collective toy;
    toy.name = "toy";
    toy.title = "toy";
    toy.documentation = "a ring under another name";
    toy.schedule = [](const ExchangeSpec&, int workers) -> std::unique_ptr<Schedule> {
      return std::make_unique<RingAllReduce>(workers);
    };
    toy.among_masters = [](int masters) -> std::unique_ptr<Schedule> {
      return std::make_unique<RingAllReduce>(masters);
    };
    toy.form = NoForm{"it is a toy"};
    all.push_back(toy);
    return all;
  }();
  return rows;
}

} // namespace gradflight

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::vector<std::string> toy_alone = {"training.exchange.algorithm=toy"};
const std::vector<std::string> toy_on_top = {"training.exchange.algorithm=hierarchical",
                                             "training.exchange.group_size=4", "training.exchange.top=toy"};
const std::string none = "no closed form: it is a toy", none_on_top = "no closed form: the top is toy: it is a toy";

std::string plan_of(const Prepared& prepared) {
  std::ostringstream out;
  print_plan(prepared.scenario(), prepared.platform(), {0, 9}, out);
  return out.str();
}

} // namespace

TEST_CASE("run takes as long as the ring it is, and says that there is no closed form") {
  const Outcome ring = evaluate(Prepared(with({}))), toy = evaluate(Prepared(with(toy_alone)));
  CHECK(toy.result.time == ring.result.time);
  CHECK(ring.form.form);
  CHECK_FALSE(toy.form.form);
  CHECK_THAT(report(toy), Contains("Closed form  none") && Contains(none));
  CHECK(evaluate(Prepared(with(toy_on_top))).form.why_none == none_on_top);
}

TEST_CASE("check counts it as without a form, and gates nothing on it") {
  const TemporaryDirectory directory;
  std::string text = minimal;
  text.replace(text.find("\"ring\""), 6, "\"toy\"");
  auto checks = load_checks({directory.write("toy.json", text), directory.write("ring.json", minimal)});
  run_checks(checks, 1e-9, 1, [](const FormCheck&) {});
  REQUIRE(checks.size() == 2);
  CHECK(std::string(checks[0].verdict()) == "no form");
  CHECK(checks[0].remark() == none);
  CHECK(std::string(checks[1].verdict()) == "ok");
}

TEST_CASE("plan lists its operations, and says that there is no closed form") {
  CHECK_THAT(plan_of(Prepared(with(toy_alone))), Contains(none + '\n') && Contains("step 0: send"));
  CHECK_THAT(plan_of(Prepared(with(toy_on_top))), Contains(none_on_top + '\n'));
  CHECK_THAT(plan_of(Prepared(with({}))), !Contains("no closed form"));
}

TEST_CASE("a form may be missing, an expectation of it may not be written") {
  const std::string expects =
      R"({ "extends": "s.json", "expect": [{ "quantity": "closed_form.time_s", "value": 1 }] })";
  const TemporaryDirectory directory;
  std::string text = minimal;
  text.replace(text.find("\"ring\""), 6, "\"toy\"");
  directory.write("s.json", text);
  CHECK_THAT(errors_of([&] { prepare(directory.write("expects.json", expects)); }), Contains(none));
}
