// Any input is loaded, or rejected with reasons.
#include "tests/scenarios/support.hpp"

#include "scenarios/language/decode/canonical.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

void loads_or_tells_why(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    const auto id = scenario_id(parse_scenario(text, "s.json", sets));
    RC_ASSERT(id.size() == 16U);
  } catch (const InputErrors& errors) {
    RC_ASSERT_FALSE(errors.diagnostics().empty());
    for (const auto& d : errors.diagnostics()) {
      RC_ASSERT_FALSE(d.message.empty());
      RC_ASSERT(d.line >= 1);
      RC_ASSERT(d.column >= 1);
    }
  }
}

/// All values of a scenario that --set can change.
const std::vector<std::string> paths{"platform",
                                     "platform.nodes",
                                     "platform.gpus_per_node",
                                     "platform.network",
                                     "platform.network.topology",
                                     "platform.network.link",
                                     "platform.network.link.bandwidth",
                                     "platform.overrides",
                                     "platform.intra_node",
                                     "workload",
                                     "workload.layers",
                                     "workload.tensors",
                                     "workload.tensors.0",
                                     "workload.tensors.0.bytes",
                                     "workload.compute",
                                     "training",
                                     "training.exchange",
                                     "training.exchange.algorithm",
                                     "training.exchange.levels",
                                     "training.granularity",
                                     "training.overlap",
                                     "training.costs",
                                     "training.compression",
                                     "training.warmup",
                                     "engine",
                                     "limits",
                                     "expect",
                                     "extends"};
const std::vector<std::string> hostile_values{"null",
                                              "true",
                                              "0",
                                              "-1",
                                              "1e300",
                                              "1.5",
                                              "8",
                                              "\"\"",
                                              "\"0\"",
                                              "\"1GB/s\"",
                                              "[]",
                                              "[[]]",
                                              "[{}]",
                                              "[1,2]",
                                              "{}",
                                              "{\"a\":1}",
                                              "graph",
                                              "hierarchical",
                                              "parameter_server",
                                              "{\"levels\":[{}]}",
                                              "[{\"iterations\":1}]",
                                              "\"\\u0000\""};

} // namespace

TEST_CASE("damaged text is refused, not fatal") {
  REQUIRE(rc::check("bytes changed", [] {
    auto text = minimal;
    const auto changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      const auto byte = *rc::gen::oneOf(rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("{}[],:\"0-e.\\")));
      switch (*rc::gen::inRange(0, 3)) {
      case 0: text[at] = byte; break;
      case 1: text.erase(at, 1); break;
      default: text.insert(at, 1, byte); break;
      }
    }
    loads_or_tells_why(text);
  }));
  REQUIRE(rc::check("text cut off",
                    [] { loads_or_tells_why(minimal.substr(0, *rc::gen::inRange<std::size_t>(0, minimal.size()))); }));
}

TEST_CASE("any value anywhere is loaded or refused") {
  REQUIRE(rc::check("values replaced", [] {
    std::vector<std::string> sets;
    const auto changes = *rc::gen::inRange(1, 4);
    for (int i = 0; i < changes; ++i)
      sets.push_back(*rc::gen::elementOf(paths) + "=" + *rc::gen::elementOf(hostile_values));
    loads_or_tells_why(minimal, sets);
  }));
}
