// A platform in a few lines of text: its places, and its links by kind.
#pragma once

#include "platforms/code/link_role.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

class Platform;

/// Links with names that differ only in numbers: "node*.up", "rack*.down", "group*.router*-*", ...
struct LinkKind {
  std::string name{};
  LinkRole role{}; ///< of the first one
  std::int64_t count = 0;
  double least_bandwidth = 0, most_bandwidth = 0; ///< bytes per second
  double least_latency = 0, most_latency = 0;     ///< seconds
};

/// "node*.up" of "node3.up".
std::string link_kind(const std::string& name);

/// Returns the name of the cable of a directed link, which both directions have: "node3" of "node3.up", "sw1-0.2" of
/// "sw1-0.down2", "a-b" of "b->a".
std::string cable_name(const std::string& link);

/// "nic", "server", ... as in results.
const char* link_tier_name(LinkTier tier);
/// Names of all tiers, in their order.
std::vector<std::string> link_tier_names();

/// In the order of their first links.
std::vector<LinkKind> link_kinds(const Platform& platform);

/// "8 GPUs on 8 nodes" and a line for each kind of link with its count, bandwidth and latency (or their ranges).
std::string describe(const Platform& platform);

} // namespace gradflight
