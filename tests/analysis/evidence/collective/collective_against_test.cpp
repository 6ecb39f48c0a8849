// The table of a log that a simulated table is compared with.
#include "analysis/evidence/collective/collective_against.hpp"

#include "scenarios/language/json/diagnostics.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace gradflight;

TEST_CASE("a run that the log lacks is refused with the runs that it has") {
  std::vector<MeasuredTable> tables(2);
  tables[0].ranks = tables[1].ranks = 8;
  tables[0].run = "first";
  tables[1].run = "second";
  const auto refused = [&](const std::string& run) {
    try {
      return measured_table(tables, "x.log", {.ranks = 8, .nodes = 1, .run = run}).run;
    } catch (const InputErrors& errors) {
      return errors.format();
    }
  };
  CHECK(refused("second") == "second");
  CHECK(refused("third") == "x.log: --run third: the log has no such run. Allowed: first, second\n");
  CHECK(refused("SECOND") ==
        "x.log: --run SECOND: the log has no such run; did you mean \"second\"? Allowed: first, second\n");
  CHECK(refused("").find("choose one with --run. Allowed: \"first\", \"second\"") != std::string::npos);
}
