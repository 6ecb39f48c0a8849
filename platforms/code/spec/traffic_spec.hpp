// What a scenario says of the network's other users. Values only; traffic.hpp makes flows of them.
#pragma once

#include "models/traffic/flow_sizes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Where flows begin or end.
struct TrafficEnd {
  std::vector<int> nodes{}; ///< servers' included, ascending; empty, where not outside: every node but servers
  bool outside = false;     ///< beyond the network's topmost switches, as fast as anybody likes
};

/// Flows of one kind.
struct TrafficSpec {
  enum class Pattern { pairs, incast, permutation };
  enum class Arrivals { once, periodic, poisson, on_off };

  std::string name{};
  TrafficEnd from{}, to{};
  Pattern pattern = Pattern::pairs;
  Arrivals arrivals = Arrivals::once;
  Seconds every{};                  ///< between arrivals, > 0 (on_off: a time on and a time off); once: not read
  std::optional<Seconds> on{};      ///< on_off: of which on, > 0 and below `every`; absent: half
  bool constant_phases = false;     ///< on_off: each is as long as that; else exponential with that mean
  std::optional<Bytes> bytes{};     ///< of each flow, > 0
  std::optional<FlowSizes> sizes{}; ///< in place of `bytes`; neither: until it is stopped
  std::optional<ByteRate> rate{};   ///< of a flow, at most, > 0; absent: what its links let through
  Seconds start{};
  std::optional<Seconds> stop{};       ///< > start: none sets out at or after it, and what has no size ends
  std::optional<std::int64_t> flows{}; ///< in all, > 0; absent: one for each pair, or arrivals without end
  std::int64_t seed = 0;

  [[nodiscard]] bool sized() const { return bytes.has_value() || sizes.has_value(); }
};

} // namespace gradflight
