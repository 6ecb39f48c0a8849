// Settings for tests of every collective in the catalogue, based on the keys that its row reads.
#pragma once

#include "models/schedules/parts/collective.hpp"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace gradflight::test {

struct CollectiveCase {
  std::string name; ///< "ring, pieces"
  ExchangeSpec exchange;
};

/// Returns at least the defaults, and one case with other values for each group of keys.
inline std::vector<CollectiveCase> cases_of(Algorithm algorithm) {
  const Collective& row = collective(algorithm);
  ExchangeSpec plain;
  plain.algorithm = algorithm;
  if (row.keys.levels) plain.levels = {{4, GroupReduce::flat, GroupBroadcast::flat, false}};
  std::vector<CollectiveCase> cases{{std::string(row.name), plain}};
  const auto add = [&](const char* what, const auto& change) {
    ExchangeSpec other = plain;
    change(other);
    cases.push_back({fmt::format("{}, {}", row.name, what), other});
  };
  if (row.keys.pieces) add("pieces", [](ExchangeSpec& x) { x.pieces = 3; });
  if (row.keys.servers) {
    add("binomial", [](ExchangeSpec& x) { x.pull = Pull::binomial; });
    add("two servers", [](ExchangeSpec& x) { x.servers = 2; });
    add("two colocated", [](ExchangeSpec& x) { x.servers = 2, x.colocated = true; });
  }
  if (row.keys.all_gather) add("ring", [](ExchangeSpec& x) { x.all_gather = AllGather::ring; });
  if (row.keys.sharded)
    add("halving", [](ExchangeSpec& x) { x.sharded.reduce_scatter = ReduceScatter::recursive_halving; });
  if (row.keys.levels)
    for (const Algorithm top : algorithms())
      if (top != plain.top && collective(top).among_masters != nullptr)
        add(collective(top).title.data(), [top](ExchangeSpec& x) { x.top = top; });
  return cases;
}

inline std::vector<CollectiveCase> all_cases() {
  std::vector<CollectiveCase> all;
  for (const Algorithm algorithm : algorithms())
    for (CollectiveCase& one : cases_of(algorithm)) all.push_back(std::move(one));
  return all;
}

} // namespace gradflight::test
