#include "scenarios/language/describe/describe.hpp"

#include "scenarios/language/json/json_reader.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <source_dir.hpp>

using namespace gradflight;
using Catch::Contains;

namespace {

std::string committed(const std::string& file) { return read_file(std::string(GF_SOURCE_DIR) + "/" + file).text; }

std::string miss(const std::string& path) {
  try {
    explain_text(path);
  } catch (const UnknownPath& unknown) {
    return unknown.what();
  }
  return "found";
}

} // namespace

// After a change of the tables, test_scenarios "[.generate]" writes both files again.
TEST_CASE("generate the schema and the reference page", "[.generate]") {
  std::ofstream(std::string(GF_SOURCE_DIR) + "/scenarios/schema.json") << schema_text();
  std::ofstream(std::string(GF_SOURCE_DIR) + "/docs/scenario-reference.md") << reference_text();
  SUCCEED("written");
}

TEST_CASE("the committed schema is that of the tables") { CHECK(committed("scenarios/schema.json") == schema_text()); }

TEST_CASE("the committed reference is that of the tables") {
  CHECK(committed("docs/scenario-reference.md") == reference_text());
}

TEST_CASE("the reference page lists the names of a long choice below the table") {
  const auto page = reference_text();
  CHECK_THAT(page, Contains("| `algorithm` | one of [these names](#values-of-algorithm); or [written_algorithm]"));
  CHECK_THAT(page, Contains("\n### Values of algorithm\n\n* parameter_server: "));
  CHECK_THAT(page, Contains("\n* file: each rank takes the steps"));
}

TEST_CASE("the largest limits of integers are whole numbers") {
  CHECK_THAT(explain_text("limits.messages"), Contains("an integer from 1 to 9223372036854775807\n"));
  CHECK_THAT(explain_text("jobs.seed"), !Contains("e+18"));
}

TEST_CASE("explain tells meaning, unit, default and condition") {
  CHECK(explain_text("platform.network.link.latency") ==
        "platform.network.link.latency\n"
        "  One-way latency. Alpha is the sum of the latencies along a route plus message_overhead.\n"
        "  value    a time such as \"5us\"\n"
        "  units    s, ms, us, ns, min, h, d\n"
        "  default  \"0s\"\n");
  CHECK_THAT(explain_text("training.exchange.algorithm"), Contains("\"halving_doubling\"") && Contains("required"));
  CHECK_THAT(explain_text("training.exchange.servers"),
             Contains("default  1\n") && Contains("only     with algorithm parameter_server\n"));
  CHECK_THAT(explain_text(""), Contains("Keys:\n") && Contains("  platform "));
  CHECK_THAT(explain_text("training.granularity"), Contains("  ddp_bucket "));
  CHECK_THAT(explain_text("training.granularity.first_bucket"), Contains("default  \"1MiB\""));
  CHECK_THAT(explain_text("workload.layers"), Contains("Keys of an item:\n  name "));
}

TEST_CASE("files that are no scenarios are explained under their own names") {
  CHECK_THAT(explain_text("sweep.limits.wall"), Contains("sweep.limits.wall\n") && Contains("a time such as"));
  CHECK_THAT(explain_text("pack"), Contains("Keys:\n  paper "));
  CHECK_THAT(explain_text("pack.fitted.bounds"), Contains("pack.fitted[].bounds\n") && Contains("  required\n"));
  CHECK(explain_text("published[].dup_of") == explain_text("published.dup_of"));
  CHECK_THAT(explain_text("fits.cross_validation.seed"), Contains("Seed of the random sets."));
  CHECK_THAT(miss("pack.fited"), Contains("\"pack\" has no key \"fited\"; did you mean \"fitted\"?"));
}

TEST_CASE("lists are passed with [], a number, or nothing") {
  const auto text = explain_text("workload.layers[].tensors[].bytes");
  CHECK(text == explain_text("workload.layers.0.tensors.12.bytes"));
  CHECK(text == explain_text("workload.layers[3].tensors.[].bytes"));
  CHECK(text == explain_text("workload.layers.tensors.bytes"));
  CHECK_THAT(explain_text("platform.network.torus.dimensions[0]"), Contains("an integer from 1"));
}

TEST_CASE("a path that leads nowhere names the nearest") {
  CHECK(miss("platform.network.link.bandwith") ==
        "\"platform.network.link\" has no key \"bandwith\"; did you mean \"bandwidth\"? Allowed: bandwidth, latency, "
        "egress_bandwidth, ingress_bandwidth");
  CHECK_THAT(miss("platfrom"), Contains("a scenario has no key \"platfrom\"; did you mean \"platform\"?"));
  CHECK_THAT(miss("platform.nodes.x"), Contains("\"platform.nodes\" has no keys: it is an integer"));
  CHECK_THAT(miss("training.warmup[].warmup"), Contains("\"training.warmup[]\" has no key \"warmup\""));
}
