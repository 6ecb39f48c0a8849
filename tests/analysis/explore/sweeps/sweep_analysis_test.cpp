#include "analysis/explore/sweeps/sweep_analysis.hpp"
#include "analysis/explore/sweeps/sweep_page.hpp"

#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/run/pages/page.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <stdexcept>

using namespace gradflight;
using Catch::Contains;

namespace {

const std::string base = R"({ "platform": { "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } },
  "workload": { "tensors": [{ "name": "g", "bytes": "4KB" }] }, "training": { "exchange": { "algorithm": "ring" } } })";

Sweep sweep() {
  return parse_sweep("{ \"base\": " + base + R"(, "keep": ["messages"], "axes": {
      "platform.nodes": [0, 2, 4], "training.exchange.algorithm": ["ring", "binomial_tree"] } })",
                     "s.json");
}

/// Returns a record for each valid point, with a time that depends on its number.
RecordSet records(const Sweep& s) {
  RecordSet set;
  for (const auto c : selected_combinations(s)) {
    const auto point = point_at(s, c);
    if (!point.scenario) continue;
    const double time = static_cast<double>(c);
    const bool off = c == 5;
    set.by_id[point.id] = {
        point.id,
        PointStatus::ok,
        {},
        {time, std::string("form"), off ? 4.0 : time, off ? 0.25 : 0.0,
         off ? Cell{std::string(
                   "an assumption fails: links alike (node 3; 1e-5 s); an assumption fails: p is a power of two")}
             : Cell{},
         off ? Cell{std::string("links_alike;power_of_two;links_alike")} : Cell{}, std::int64_t{10} - c},
        0,
        0};
  }
  return set;
}

MergedSweep merged() { return merge_sweep(sweep(), records(sweep())); }

} // namespace

TEST_CASE("a merged sweep has a row for each point, the invalid ones with their message") {
  const auto m = merged();
  CHECK(m.points == 6);
  CHECK(m.missing == 0);
  REQUIRE(m.table.rows.size() == 6);
  CHECK(m.table.rows[0][2] == Cell(std::string("invalid")));
  CHECK_THAT(cell_text(m.table.rows[0][3]), Contains("/platform/nodes: expected an integer"));
  CHECK(m.table.columns[4].name == "platform.nodes");
  CHECK(m.table.columns[4].type == SweepColumn::Type::integer);
  CHECK(m.table.columns[5].type == SweepColumn::Type::text);
  CHECK(m.table.columns[6].type == SweepColumn::Type::real);
  CHECK_THAT(sweep_csv(m.table), Contains("\n2,") && Contains(",ok,,2,ring,2,form,2,0,,,8\n"));
}

TEST_CASE("combinations that are one scenario are one point") {
  const auto same = parse_sweep("{ \"base\": " + base + R"(, "axes": { "platform.nodes": [2, 2],
      "workload.tensors.0.bytes": ["4KB", "4000B"] } })",
                                "s.json");
  const auto m = merge_sweep(same, {});
  CHECK(m.points == 1);
  CHECK(m.repeated == 3);
  CHECK(m.missing == 1);
}

TEST_CASE("points are held against their forms, and failed assumptions counted") {
  const auto m = merged();
  const auto analysis = analyse(m.table, 1e-9);
  CHECK(analysis.not_ok == 2);
  CHECK(verdict_text(analysis) == "4 points simulated, 3 agree, 1 explained; 2 not simulated");
  REQUIRE(analysis.by_assumption.size() == 2);
  CHECK(analysis.by_assumption[0].value == "links_alike");
  CHECK(analysis.by_assumption[1].value == "power_of_two");
  CHECK(analysis.by_assumption[0].most == 0.25);
  CHECK(analysis.by_assumption[0].worst_row == 5);
  REQUIRE(analysis.by_axis.size() == 4);
  CHECK(analysis.by_axis[1].value == "4");
  CHECK(analysis.by_axis[1].beyond == 1);
  CHECK(row_text(m.table, 5) == "nodes=4, algorithm=binomial_tree");
}

TEST_CASE("columns go by their name or the end of their path") {
  const auto table = merged().table;
  CHECK(column_named(table, "time_s") == 6);
  CHECK(column_named(table, "nodes") == 4);
  CHECK(column_named(table, "exchange.algorithm") == 5);
  CHECK_THROWS_WITH(column_named(table, "nods"), Contains("did you mean"));
  const auto labelled = parse_sweep("{ \"base\": " + base + R"(, "axes": { "training.exchange.algorithm":
      { "label": "exchange", "values": ["ring", "binomial_tree"] } } })",
                                    "s.json");
  const auto renamed = merge_sweep(labelled, {}).table;
  CHECK(column_named(renamed, "exchange") == 4);
  CHECK(column_named(renamed, "training.exchange.algorithm") == 4);
  CHECK(column_named(renamed, "algorithm") == 4);
  CHECK_THROWS_WITH(column_named(renamed, "algoritm"), Contains("did you mean \"algorithm\""));
  CHECK(short_name("workload.tensors.0.bytes") == "tensors.0.bytes");
  CHECK(short_name("platform.network.link.latency_s") == "latency");
  CHECK(short_name("engine") == "engine");
}

TEST_CASE("nothing beats a point of the front, and everything else is beaten") {
  REQUIRE(rc::check("front", [](const std::vector<std::pair<unsigned char, unsigned char>>& values) {
    SweepTable table;
    for (const auto& [x, y] : values) table.rows.push_back({static_cast<double>(x), static_cast<double>(y)});
    const auto front = pareto_front(table, 0, 1);
    const auto beats = [&](std::size_t a, std::size_t b) {
      const auto& [ax, ay] = values[a];
      const auto& [bx, by] = values[b];
      return ax <= bx && ay <= by && (ax < bx || ay < by);
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
      bool beaten = false, same = false;
      for (std::size_t k = 0; k < values.size(); ++k) beaten = beaten || beats(k, i);
      for (const auto f : front) same = same || values[f] == values[i];
      RC_ASSERT(same == !beaten);
    }
  }));
}

TEST_CASE("a speedup is against the point that differs in the axis alone") {
  const auto table = merged().table;
  const auto factors = speedups(table, column_named(table, "nodes"), "4");
  REQUIRE(factors.size() == 4);
  CHECK(factors[0].row == 2);
  CHECK(factors[0].factor == Approx(4.0 / 2.0)); // ring
  CHECK(factors[1].factor == Approx(5.0 / 3.0)); // binomial tree
  CHECK(factors[2].factor == 1);
  CHECK_THROWS_WITH(speedups(table, 5, "rign"), Contains("did you mean \"ring\"?"));
}

TEST_CASE("each value of what is fixed has a front") {
  const auto table = merged().table;
  const auto fronts = pareto_fronts(table, 6, 12, {4});
  REQUIRE(fronts.size() == 2);
  CHECK(fronts[0].rows == std::vector<std::size_t>{2, 3}); // nodes = 2: either less time, or fewer messages
  CHECK(fronts[1].rows == std::vector<std::size_t>{4, 5});
  CHECK(pareto_fronts(table, 6, 12, {}).size() == 1);
}

TEST_CASE("a baseline may be said in any unit, and zipped values change with it") {
  const auto s = parse_sweep("{ \"base\": " + base + R"(, "axes": {
      "machine": { "zip": { "platform.nodes": [2, 4], "platform.network.link.latency": ["5us", "20us"] } },
      "workload.tensors.0.bytes": ["4KB", "1MB"] } })",
                             "s.json");
  RecordSet set;
  for (const auto c : selected_combinations(s))
    set.by_id[point_at(s, c).id] = {point_at(s, c).id, PointStatus::ok, {}, {static_cast<double>(c + 1)}, 0, 0};
  const auto table = merge_sweep(s, set).table;
  const auto slow = speedups(table, column_named(table, "latency"), "0.02ms");
  REQUIRE(slow.size() == 4);
  CHECK(slow[0].factor == 3);
  CHECK(speedups(table, column_named(table, "bytes"), "1000KB")[0].factor == 2);
  CHECK_THROWS_WITH(speedups(table, column_named(table, "latency"), "20MB"),
                    Contains("is never 20MB. Allowed: 5 us, 20 us"));
}

TEST_CASE("a formula of one's own is held against the simulation") {
  auto s = parse_sweep("{ \"base\": " + base + R"(, "keep": ["messages"], "axes": {
      "platform.nodes": [0, 2, 4], "training.exchange.algorithm": ["ring", "binomial_tree"] },
      "columns": { "mine": "nodes * 1s", "steps": "nodes - 1" } })",
                       "s.json", quantity_names());
  const auto table = merge_sweep(s, records(s)).table;
  REQUIRE(table.formulas.size() == 2);
  CHECK(table.columns[table.formulas[0].column].name == "mine_s");
  CHECK(table.formulas[0].against == std::optional<std::size_t>(column_named(table, "time_s")));
  CHECK_FALSE(table.formulas[1].against.has_value());
  CHECK(table.rows[2][table.formulas[0].column] == Cell(2.0));
  const auto analysis = analyse_formula(table, table.formulas[0], 1e-9);
  REQUIRE(analysis.points.size() == 4); // times 2, 3, 4, 5 compared with 2, 2, 4, 4
  CHECK(analysis.points[0].verdict == "agree");
  CHECK(analysis.points[1].verdict == "differ");
  CHECK(analysis.points[1].error == std::optional(0.5));
  CHECK(formula_text(table, analysis) ==
        "mine_s against time_s: 4 points, median |error| 12.5 %, greatest +50 % at nodes=2, algorithm=binomial_tree");
  REQUIRE(analysis.by_assumption.size() == 3);
  CHECK(analysis.by_assumption[0].value == "(all hold)");
  CHECK(analysis.by_assumption[0].points == 3); // with those that agree, as in the other rows
  CHECK(analysis.by_assumption[0].beyond == 1);
  CHECK(analysis.by_assumption[1].points == 1); // although the record names this assumption twice
  auto formless = table;                        // a point to which no closed form applies
  formless.rows[3][column_named(table, "closed_form_time_s")] = {};
  const auto others = analyse_formula(formless, table.formulas[0], 1e-9).by_assumption;
  const auto none = std::ranges::find(others, "(no closed form)", &ErrorGroup::value);
  REQUIRE(none != others.end());
  CHECK(none->points == 1);
  AnalysisView view{"own", 1e-9, {}, {}, {analysis}};
  CHECK_THAT(analysis_page(table, analyse(table, 1e-9), view),
             Contains("mine_s against time_s") && Contains("Error of mine_s over nodes."));
}

TEST_CASE("a page holds its data, and no text in it can end a script") {
  const auto m = merged();
  AnalysisView view{"<name> & </script>", 1e-9, {}, {}, {}};
  view.pareto = ParetoChoice{6, 12, {}, pareto_fronts(m.table, 6, 12, {})};
  view.baseline = BaselineChoice{5, "ring", speedups(m.table, 5, "ring")};
  const auto html = analysis_page(m.table, analyse(m.table, 1e-9), view);
  CHECK_THAT(html, Contains("&lt;name&gt; &amp; &lt;/script&gt;") && Contains("nodes=4, algorithm=ring"));
}

TEST_CASE("where the chart libraries are, plots can be unfolded, and no text of theirs can end a script") {
  const test::TemporaryDirectory vega;
  for (const auto* library : {"vega.min.js", "vega-lite.min.js", "vega-embed.min.js"}) vega.write(library, "0;");
  ::setenv("GRADFLIGHT_VEGA", vega.path().c_str(), 1);
  Plot plot;
  plot.x = {"</script><!--", PlotUnit::rate, true};
  plot.y = {"time", PlotUnit::seconds};
  plot.series = {{"a", Ink::series0, 0, true, true, false, false, {{1e9, 2, "here"}}}, {"b", Ink::bad, 1}};
  Page page("p");
  page.figure("One.", plot, "one");
  page.figure("Two.", std::vector<TitledPlot>{{"left", plot}, {"right", plot}}, "two");
  const auto html = page.html();
  ::setenv("GRADFLIGHT_VEGA", "nowhere", 1);
  CHECK_THAT(html, Contains("<\\/script>\\u003c!--") && Contains("id=\"chart2\"") && Contains("\"ink:s0\""));
  CHECK_THAT(html, Contains("\"x\":8000000000.0,\"y\":2.0,\"of\":\"here\"")); // bit/s
  CHECK_THAT(html, !Contains("ink:bad"));                              // the legend contains no series without points
  CHECK_THAT(page.html(), !Contains("chart2\":") && Contains("<svg")); // no script without libraries
  ::unsetenv("GRADFLIGHT_VEGA");
}
