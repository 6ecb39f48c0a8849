// A scenario's description of other traffic on the network. Values only; traffic.hpp makes flows from it.
#pragma once

#include "models/traffic/flow_sizes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Where flows begin or end.
struct TrafficEnd {
  std::vector<int> nodes{}; ///< including servers, ascending; empty, if not outside: every node but servers
  bool outside = false;     ///< beyond the network's topmost switches, with unlimited speed
};

/// Flows of one kind.
struct TrafficSpec {
  enum class Pattern { pairs, incast, permutation };
  enum class Arrivals { once, periodic, poisson, on_off };

  std::string name{};
  TrafficEnd from{}, to{};
  Pattern pattern = Pattern::pairs;
  Arrivals arrivals = Arrivals::once;
  Seconds every{}; ///< seconds between arrivals, > 0 (on_off: one on time plus one off time); unused by once
  std::optional<Seconds> on{};      ///< on_off: the on part of `every`, > 0 and below it; absent: half
  bool constant_phases = false;     ///< on_off: every phase has that length; else exponential with that mean
  std::optional<Bytes> bytes{};     ///< of each flow, > 0
  std::optional<FlowSizes> sizes{}; ///< replaces `bytes`; neither: the flow lasts until it is stopped
  std::optional<ByteRate> rate{};   ///< maximum of a flow, > 0; absent: only its links limit it
  Seconds start{};
  std::optional<Seconds> stop{};       ///< > start: no flow starts at or after it, and flows without a size end
  std::optional<std::int64_t> flows{}; ///< total number, > 0; absent: one for each pair, or arrivals without end
  std::int64_t seed = 0;

  [[nodiscard]] bool sized() const { return bytes.has_value() || sizes.has_value(); }
};

} // namespace gradflight
