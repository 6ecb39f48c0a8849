// Components that fail, for tests of lifetimes.
#pragma once

#include "sim/recovery/lifetime.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

inline std::vector<Component> nodes_and_links(int nodes, int links) {
  std::vector<Component> components;
  for (int n = 0; n < nodes; ++n) components.push_back({ComponentKind::node, n, "node " + std::to_string(n), {}, {}});
  for (int l = 0; l < links; ++l) components.push_back({ComponentKind::link, l, "link " + std::to_string(l), {}, {}});
  return components;
}

inline FailureSpec rates(double node_mtbf, double link_mtbf, double mttr, std::int64_t seed) {
  FailureSpec failures;
  failures.seed = seed;
  for (const auto& [kind, mtbf] : {std::pair(ComponentKind::node, node_mtbf), {ComponentKind::link, link_mtbf}}) {
    failures.at(kind).emplace();
    failures.at(kind)->mtbf = Seconds(mtbf);
    failures.at(kind)->mttr = Seconds(mttr);
  }
  return failures;
}

} // namespace gradflight
