#include "scenarios/language/sweeps/sweep_formulas.hpp"

#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <rapidcheck.h>
#include <stdexcept>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

/// Results that a caller may have: a time, a size, a text.
const QuantityNames& results() {
  static const QuantityNames names{[](const std::string& name) {
                                     return name == "time_s" || name == "wire_bytes" || name == "name"
                                                ? ""
                                                : "\"" + name + "\" is no quantity";
                                   },
                                   [](const std::string& name) -> WhereValue {
                                     if (name == "name") return std::string();
                                     return Amount{1, powers_of(name == "time_s" ? Dimension::time : Dimension::bytes)};
                                   },
                                   {"time_s", "wire_bytes", "name"}};
  return names;
}

Sweep sweep_with(const std::string& columns) {
  return parse_sweep("{ \"base\": " + minimal + R"x(, "axes": {
      "platform.nodes": [2, 4, 8], "workload.tensors.0.bytes": ["4KB", "1MB"],
      "training.exchange.algorithm": ["ring", "binomial_tree"] },
      "columns": )x" + columns +
                         " }",
                     "s.json", results());
}

std::string wrong(const std::string& columns) {
  return errors_of([&] { sweep_with(columns); });
}

/// Returns the value of the last formula for a point with the axes in `text` ("nodes", ...) and the given results.
std::optional<WhereValue> formula_value(const Sweep& sweep, std::int64_t combination, double seconds = 2) {
  const auto axes = axis_columns(sweep);
  const auto places = places_at(sweep, combination);
  const auto scenario = whole_scenario(point_at(sweep, combination).scenario.value());
  return formula_values(sweep.formulas,
                        [&](const SweepFormula::Name& name) -> std::optional<WhereValue> {
                          if (name.kind == SweepFormula::Name::Kind::axis)
                            return where_value((*axes[name.index].values)[places[axes[name.index].axis]]);
                          if (name.kind == SweepFormula::Name::Kind::quantity)
                            return Amount{seconds, std::get<Amount>(name.kind_of).powers};
                          return where_value(*value_at(scenario, name.text));
                        })
      .back();
}

double number_of(const std::string& columns, std::int64_t combination, double seconds = 2) {
  return std::get<Amount>(formula_value(sweep_with(columns), combination, seconds).value()).value;
}

} // namespace

TEST_CASE("a formula is worked out of axes, keys of the scenario, results and formulas before it") {
  CHECK(number_of(R"x({ "p": "nodes" })x", 4) == 4);
  CHECK(number_of(R"x({ "p": "nodes", "steps": "2 * (p - 1)" })x", 8) == 14);
  // The scenario `minimal` has 1 Gbps and the default latency. The key is found although no axis has it.
  CHECK(number_of(R"x({ "mine": "tensors.0.bytes / network.link.bandwidth" })x", 2) ==
        1e6 / std::get<Amount>(where_value(*value_at(whole_scenario(point_at(sweep_with("{}"), 0).scenario.value()),
                                                     "platform.network.link.bandwidth")))
                  .value);
  CHECK(number_of(R"x({ "half": "time_s / 2" })x", 0, 3) == 1.5);
  CHECK(std::get<bool>(formula_value(sweep_with(R"x({ "is_ring": "algorithm == 'ring'" })x"), 0).value()));
}

TEST_CASE("a column is called by its unit, and a time predicts the simulated one") {
  const auto sweep = sweep_with(R"x({ "mine": "tensors.0.bytes / 1GB/s", "rate": "tensors.0.bytes / time_s",
    "steps": "log2(nodes)", "sent": { "formula": "2 * tensors.0.bytes", "against": "wire_bytes" },
    "// why": "a comment", "part": { "formula": "2us" } })x");
  REQUIRE(sweep.formulas.size() == 5);
  CHECK(sweep.formulas[4].against.empty());
  CHECK(sweep.formulas[0].column == "mine_s");
  CHECK(sweep.formulas[0].against == "time_s");
  CHECK(sweep.formulas[1].column == "rate_bytes_per_s");
  CHECK(sweep.formulas[1].against.empty());
  CHECK(sweep.formulas[2].column == "steps");
  CHECK(sweep.formulas[3].column == "sent_bytes");
  CHECK(sweep.formulas[3].against == "wire_bytes");
  const auto text = self_contained_json(sweep);
  CHECK(self_contained_json(parse_sweep(text, "again.json", results())) == text);
}

TEST_CASE("what has no value is left empty") {
  const std::string division = R"x("x": "1s / (time_s - 2s)")x";
  CHECK_FALSE(formula_value(sweep_with("{ " + division + " }"), 0).has_value());
  CHECK_FALSE(formula_value(sweep_with("{ " + division + R"x(, "y": "x + 1" })x"), 0).has_value());
  CHECK(formula_value(sweep_with("{ " + division + R"x(, "y": "x + 1" })x"), 0, 3) == WhereValue(Amount{2, {}}));
}

TEST_CASE("a formula without a value at any point is rejected") {
  CHECK_THAT(wrong(R"x({ "mine": "nodes / (nodes - nodes)" })x"),
             Contains("/columns/mine: division by zero at every point of the sweep"));
  CHECK_THAT(wrong(R"x({ "mine": "time_s / (nodes - nodes)" })x"),
             Contains("division by zero at every point of the sweep"));
  CHECK_THAT(wrong(R"x({ "mine": "nodes % 0" })x"), Contains("division by zero at every point of the sweep"));
  CHECK_THAT(wrong(R"x({ "mine": "ln(1 - nodes)" })x"),
             Contains("the result is not a number at every point of the sweep"));
  CHECK_THAT(
      wrong(R"x({ "mine": { "formula": "network.link.latency / (network.link.latency - network.link.latency)" } })x"),
      Contains("/columns/mine/formula: division by zero at every point of the sweep"));
  CHECK_THAT(wrong(R"x({ "a": "1 / (nodes - 2)", "b": "a / max(2 - nodes, 0)" })x"),
             Contains("/columns/b: division by zero at every point of the sweep"));
  // Divisions by zero only at some points, or depending on results.
  for (const auto* formula : {"1 / (nodes - 4)", "1s / (time_s - time_s)", "nodes / (nodes * (time_s / 1s))",
                              "1s / max(0s, time_s)", "1s / min(0s, time_s)", "1 / (pow(time_s / 1s, 2) - 1)"})
    CHECK(wrong(fmt::format(R"x({{ "mine": "{}" }})x", formula)).empty());
}

TEST_CASE("what is wrong with a formula is told with its place") {
  CHECK_THAT(
      wrong(R"x({ "mine": "2 * nods" })x"),
      Contains("/columns/mine: \"nods\" is not an axis, a quantity of the result or a key of the scenario; did you "
               "mean \"nodes\"?") &&
          Contains("s.json:"));
  CHECK_THAT(wrong(R"x({ "mine": "nodes + tensors.0.bytes" })x"),
             Contains("a plain number and a size in bytes cannot be combined"));
  CHECK_THAT(wrong(R"x({ "mine": "time_s * time_s" })x"),
             Contains("has no known unit: it is a quantity in s^2 B^0 FLOP^0"));
  CHECK_THAT(wrong(R"x({ "nodes": "2" , "platform.nodes": "2" })x"), Contains("is not a valid name"));
  CHECK_THAT(wrong(R"x({ "time": "2s" })x"), Contains("a column \"time_s\" already exists"));
  CHECK_THAT(wrong(R"x({ "a": "2", "a_s": "3s", "min": "2" })x"), Contains("\"min\" is not a valid name"));
  CHECK_THAT(wrong(R"x({ "mine": 3 })x"), Contains("/columns/mine: expected"));
  CHECK_THAT(wrong(R"x({ "mine": { "formula": "nodes", "against": "time_s" } })x"),
             Contains("/columns/mine/against: \"time_s\" is a time, but the formula has no unit"));
  CHECK_THAT(wrong(R"x({ "mine": { "formula": "1s", "against": "tiem" } })x"), Contains("is no quantity"));
  CHECK_THAT(wrong(R"x({ "mine": { "against": "time_s" } })x"), Contains("\"formula\" is missing"));
  const auto once = wrong(R"x({ "x": "nods", "y": "2 * x" })x");
  CHECK_THAT(once, Contains("/columns/x") && !Contains("/columns/y"));
  const auto both = wrong(R"x({ "mine": "nods", "yours": "nodes +" })x");
  CHECK_THAT(both, Contains("/columns/mine") && Contains("/columns/yours"));
}

TEST_CASE("a sweep tells mistakes of its condition, columns, quantities and limits at once") {
  const auto told = [](const std::string& axes, const std::string& rest) {
    return errors_of([&] {
      parse_sweep("{ \"base\": " + minimal + ", \"axes\": { " + axes + " }, " + rest + " }", "s.json", results());
    });
  };
  const auto all = told(R"x("platform.nodes": [2, 4])x",
                        R"x("where": "nodes > 1MB", "keep": ["tme_s"], "columns": { "mine": "nods", "b": "1 +" },
                            "limits": { "wall": "60" })x");
  for (const auto* place : {"/where: ", "/keep/0: ", "/columns/mine: ", "/columns/b: ", "/limits/wall: "})
    CHECK_THAT(all, Contains(place));
  // Without a valid point, a name may be a key of the scenario; the rest of a formula is checked.
  const auto none = told(R"x("platform.nodes": [0])x", R"x("columns": { "mine": "nodes * latency", "b": "1 +" })x");
  CHECK_THAT(none, Contains("/columns/b: expected a value") && !Contains("latency"));
}

TEST_CASE("a formula from a command line") {
  auto sweep = sweep_with("{}");
  add_formula(sweep, "mine=nodes*1us", results());
  CHECK(sweep.formulas.back().column == "mine_s");
  CHECK_THROWS_WITH(add_formula(sweep, "mine=nodes*2us", results()), Contains("a column \"mine\" already exists"));
  CHECK_THROWS_WITH(add_formula(sweep, "nodes*2us", results()), Contains("expected NAME=FORMULA"));
  CHECK_THROWS_WITH(add_formula(sweep, "other=nodes*", results()), Contains("expected a value"));
}

TEST_CASE("mistakes of formulas are told together with one of the condition") {
  for (const char* where : {"nodes >", "nodes > 100"}) {
    const std::string told = errors_of([&] {
      parse_sweep("{ \"base\": " + minimal + R"x(, "axes": { "platform.nodes": [2, 4] }, "where": ")x" + where +
                      R"x(", "columns": { "a": "2 * latncy", "b": "time_s + wire_bytes" } })x",
                  "s.json", results());
    });
    INFO(where);
    CHECK_THAT(told, Contains("/where: ") && Contains("/columns/a: \"latncy\" is not an axis") &&
                         Contains("/columns/b: a time and a size in bytes cannot be combined"));
  }
}
