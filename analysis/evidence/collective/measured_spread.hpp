// The way of bytes from a GPU to its NIC, and the ratio of measured to simulated times on machines with the same way.
#pragma once

#include "models/collectives/operation.hpp"
#include "platforms/code/spec/node_spec.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace gradflight {

/// The way determines the share of a NIC's rate that GPUs attain.
enum class NicWay {
  own_nic,    ///< a PCIe switch, or a processor connected by NVLink-C2C, and a NIC for each GPU
  shared_nic, ///< a PCIe switch, or such a processor, and a NIC for several GPUs
  root,       ///< the processor's PCIe root
  host_memory ///< copies through the host's memory
};
NicWay nic_way(const NodeSpec& node);
/// Returns a text for people, such as "a NIC for each GPU".
const char* nic_way_name(NicWay way);

/// The 5th and the 95th percentile of measured over simulated time, over all measured calls of a class of sizes.
struct MeasuredSpread {
  double least = 0, most = 0;
  int cases = 0;
};

/// Limits of size classes in bytes: the first class ends below `spread_ends[0]`, and the last class has no end.
inline constexpr std::array<std::int64_t, 2> spread_ends = {65536, 4194304};

/// Spreads of machines with a common property.
struct MeasuredSpreads {
  const char* like = nullptr; ///< "with a NIC for each GPU"
  int machines = 0;
  std::span<const Operation> operations; ///< of the calls
  std::array<MeasuredSpread, spread_ends.size() + 1> by_size{};
};

/// Returns the spreads of measured machines like `node`. They were simulated with their catalogue entries and
/// documented facts, without fits. Calls are inside a node, or between nodes of machines with the same way to the NIC.
/// Returns null if fewer than two such machines were measured. docs/measured.md gives the source, and
/// tests/reproduce/check_measured.py recomputes the numbers.
const MeasuredSpreads* measured_spreads(const NodeSpec& node, int nodes);

} // namespace gradflight
