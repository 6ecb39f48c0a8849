// A cable as a scenario describes it.
#pragma once

#include "models/units/units.hpp"

#include <optional>

namespace gradflight {

/// A full-duplex cable. Each direction has `bandwidth` unless shaped separately (3LC shapes egress with linux-tc).
struct LinkSpec {
  ByteRate bandwidth{};              ///< bytes per second, > 0
  std::optional<Seconds> latency{};  ///< one way, >= 0; absent: that of the cable it replaces, else 0
  std::optional<ByteRate> egress{};  ///< the direction away from the node (upwards); absent: `bandwidth`
  std::optional<ByteRate> ingress{}; ///< the direction towards the node (downwards); absent: `bandwidth`
};

/// Returns the cable that replaces `usual`, or `usual` itself.
inline LinkSpec cable_instead_of(const LinkSpec& usual, const std::optional<LinkSpec>& own) {
  LinkSpec cable = own.value_or(usual);
  if (!cable.latency) cable.latency = usual.latency;
  return cable;
}

} // namespace gradflight
