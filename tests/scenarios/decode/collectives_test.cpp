// The catalogue of collectives in scenarios: every row can be read, written and documented.
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/describe/describe.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/collective_cases.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("every collective is written and read again, with all that it reads") {
  for (const CollectiveCase& one : all_cases()) {
    INFO(one.name);
    Scenario s = with({});
    s.phases[0].training.exchange = one.exchange;
    const std::string text = canonical_json(s);
    CHECK(text.find(fmt::format("\"{}\"", collective(one.exchange.algorithm).name)) != std::string::npos);
    const Scenario again = parse_scenario(text, "again.json");
    const ExchangeSpec& x = again.phases[0].training.exchange;
    CHECK(x.algorithm == one.exchange.algorithm);
    CHECK(x.top == one.exchange.top);
    CHECK(x.pieces == one.exchange.pieces);
    CHECK(x.servers == one.exchange.servers);
    CHECK(x.levels.size() == one.exchange.levels.size());
    CHECK(x.all_gather == one.exchange.all_gather);
    CHECK(x.sharded.reduce_scatter == one.exchange.sharded.reduce_scatter);
    CHECK(canonical_json(again) == text);
  }
}

TEST_CASE("every collective refuses the keys that it does not read") {
  for (const Collective& row : collectives()) {
    INFO(row.name);
    const auto refused = [&](const char* key, const char* value) {
      const std::string groups = row.keys.levels && std::string_view(key) != "group_size" ? R"("group_size":2,)" : "";
      return !errors_with(
                  {fmt::format(R"(training.exchange={{"algorithm":"{}",{}"{}":{}}})", row.name, groups, key, value)})
                  .empty();
    };
    CHECK(refused("pieces", "2") == !row.keys.pieces);
    CHECK(refused("servers", "2") == !row.keys.servers);
    CHECK(refused("group_size", "2") == !(row.keys.levels || row.keys.sharded));
    CHECK(refused("stage", "2") == !row.keys.sharded);
    CHECK(refused("all_gather", "\"ring\"") == !row.keys.all_gather);
    CHECK(refused("density", "0.5") == (row.unit != Unit::lists));
  }
}

TEST_CASE("the reference page and `explain` say what every collective does") {
  const std::string page = reference_text();
  for (const Collective& row : collectives()) {
    INFO(row.name);
    CHECK(page.find(fmt::format("{}: {}.", row.name, row.documentation)) != std::string::npos);
  }
}
