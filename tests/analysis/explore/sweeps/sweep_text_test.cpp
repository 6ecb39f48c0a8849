#include "analysis/explore/sweeps/sweep_text.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace gradflight;
using Catch::Contains;

namespace {

using Type = SweepColumn::Type;

/// Two algorithms on 2 and 4 nodes; the trees are twice as fast, and 25 % off their form on 4 nodes.
SweepTable two_by_two() {
  SweepTable t;
  t.columns = {{"point", Type::integer},
               {"id", Type::text},
               {"status", Type::text},
               {"message", Type::text},
               {"platform.nodes", Type::integer},
               {"training.exchange.algorithm", Type::text},
               {"time_s", Type::real},
               {"closed_form_time_s", Type::real},
               {"closed_form_relative_error", Type::real},
               {"closed_form_failed", Type::text},
               {"wire_bytes", Type::real}};
  t.axis_columns = 2;
  const auto point = [&](std::int64_t nodes, const char* algorithm, double time, double error, double bytes) {
    const Cell failed = error == 0 ? Cell{} : Cell{std::string("links_alike")};
    t.rows.push_back({std::ssize(t.rows),
                      std::string("id"),
                      std::string("ok"),
                      {},
                      nodes,
                      std::string(algorithm),
                      time,
                      time / (1 + error),
                      error,
                      failed,
                      bytes});
  };
  point(2, "ring", 4, 0, 100);
  point(2, "tree", 2, 0, 200);
  point(4, "ring", 8, 0, 300);
  point(4, "tree", 4, 0.25, 400);
  return t;
}

} // namespace

TEST_CASE("a near tie shows by how much the next variant is slower") {
  const auto factor = [](double next_s) {
    SweepTable t = two_by_two();
    for (auto& row : t.rows)
      if (cell_number(row[6]) == 4.0) row[6] = next_s;
    const auto text = analysis_text(t, analyse(t, 1e-9));
    return text.substr(0, text.find("\n  4 "));
  };
  CHECK_THAT(factor(2.0026), Catch::EndsWith("ring  1.0013"));
  CHECK_THAT(factor(2.00000024), Catch::EndsWith("ring  1.00000012"));
  CHECK_THAT(factor(2.000000000000001), Catch::EndsWith("tree  1")); // rounding: in the order of the sweep
  CHECK_THAT(factor(2.000000000000001), Catch::Contains("Fastest: 2 s at nodes=2, algorithm=ring."));
  CHECK_THAT(factor(2.04), Catch::EndsWith("ring  1.02"));
}

TEST_CASE("an analysis as text: how many agree, why not, and where") {
  const SweepTable t = two_by_two();
  const auto text = analysis_text(t, analyse(t, 1e-9));
  CHECK_THAT(text,
             Catch::StartsWith("4 points simulated, 3 agree, 1 explained\nFastest: 2 s at nodes=2, algorithm=tree. "
                               "Slowest: 8 s at nodes=4, algorithm=ring.\n"));
  CHECK_THAT(
      text,
      Contains("Fastest algorithm\n  nodes  fastest  time  next  next / fastest\n  2      tree     2 s   ring  2\n"));
  CHECK_THAT(text, Contains("by failed assumption\n") && Contains("over the axes\n"));
  CHECK_THAT(text, Contains("links_alike       1       1           25 %       +25 %  nodes=4, algorithm=tree\n"));
  CHECK_THAT(text, Contains("nodes = 2              2       0              0           0  nodes=2"));
  CHECK_THAT(text, Contains("algorithm = tree       2       1         12.5 %       +25 %  nodes=4, algorithm=tree\n"));
}

TEST_CASE("an analysis without anything to explain lists no assumptions") {
  SweepTable t = two_by_two();
  t.rows.pop_back();
  CHECK_THAT(analysis_text(t, analyse(t, 1e-9)), !Contains("by failed assumption"));
}

TEST_CASE("a Pareto front is chosen by two columns") {
  const SweepTable t = two_by_two();
  const ParetoChoice choice = pareto_of(t, "time_s,wire_bytes");
  REQUIRE(choice.fronts.size() == 1);
  CHECK(choice.fronts[0].rows == std::vector<std::size_t>{1, 0});
  CHECK(choice.fixed.empty());
  const ParetoChoice each = pareto_of(t, "time_s,wire_bytes", "nodes");
  CHECK(each.fronts.size() == 2);
  CHECK_THAT(pareto_text(t, each), Contains("Pareto front of time_s and wire_bytes for nodes=4: 2 points\n"));
  CHECK_THROWS_WITH(pareto_of(t, "time_s,wire_bytes", "nods"), Contains("did you mean"));
  CHECK_THAT(pareto_text(t, choice), Contains("Pareto front of time_s and wire_bytes: 2 points\n") &&
                                         Contains("  200 B  nodes=2, algorithm=tree\n"));
  CHECK_THROWS_WITH(pareto_of(t, "time_s"), Contains("expected two columns"));
  CHECK_THROWS_WITH(pareto_of(t, "time_s,wire_byts"), Contains("did you mean \"wire_bytes\""));
}

TEST_CASE("speedups are told for each value of the baseline's axis") {
  const SweepTable t = two_by_two();
  const BaselineChoice choice = baseline_of(t, "algorithm=ring");
  const auto text = speedup_text(t, choice);
  CHECK_THAT(text, Contains("Speedup over algorithm = ring\n"));
  CHECK_THAT(text, Contains("  ring                           2          1          1          1\n"));
  CHECK_THAT(text, Contains("  tree                           2          2          2          2\n"));
  CHECK_THROWS_WITH(baseline_of(t, "algorithm"), Contains("expected AXIS=VALUE"));
  CHECK_THROWS_WITH(baseline_of(t, "time_s=4"), Contains("\"time_s\" is not an axis. Allowed: "));
}
