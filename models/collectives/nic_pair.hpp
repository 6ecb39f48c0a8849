// The two NICs that a message between two nodes uses.
#pragma once

#include <cstdint>

namespace gradflight {

inline constexpr std::int16_t any_nic = -1; ///< the platform chooses

/// NICs are numbered within the sender's node and within the receiver's node.
struct NicPair {
  std::int16_t out = any_nic, in = any_nic;
  friend bool operator==(const NicPair&, const NicPair&) = default;
};

} // namespace gradflight
