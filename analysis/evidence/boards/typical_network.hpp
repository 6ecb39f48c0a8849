// Typical numbers of a network between nodes, for a machine that nothing was fitted to: from the fits of other
// machines.
#pragma once

#include "analysis/evidence/collective/nic_way.hpp"
#include "scenarios/language/packs/measured_pack.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct BoardPack;

/// What one pack's fit says of the network.
struct NetworkNumbers {
  std::string pack{}, machine{}; ///< packs of one machine of the catalogue, or of one platform file, agree in `machine`
  std::optional<NetworkFabric> fabric{};
  NicWay way = NicWay::own_nic;
  double line_rate = 0;               ///< of one NIC in one direction, bytes per second; 0: nodes without NICs
  std::optional<double> latency_s{};  ///< of a NIC's cable, > 0; none: not fitted, or only to calls beyond 64 KiB
  std::optional<double> rate_share{}; ///< attained rate over the line rate, both directions together over twice the
                                      ///< line rate, > 0; none: not fitted
};

/// A number, and the packs that it comes from.
struct TypicalNumber {
  double value = 0;
  std::vector<std::string> from{};
  std::string of{}; ///< what these machines have in common: a fabric, or a way to the NIC
};

/// None: no other machine has the number, and the catalogue's stays.
struct TypicalNetwork {
  std::optional<TypicalNumber> latency_s{}, rate_share{};
};

/// Returns medians over the packs on other machines: the latency of the same fabric, and the share of the same way to
/// the NIC. Of an even count it takes the geometric mean of the two middle values, since latencies differ by orders of
/// magnitude. A pack without a fabric gets and gives nothing.
TypicalNetwork typical_network(const NetworkNumbers& left_out, const std::vector<NetworkNumbers>& all);

/// Returns `typical` as assignments to the machine: latency of a NIC's cable, and rate of a NIC for both directions
/// together, "26.4GB/s". Empty where nothing is typical.
std::vector<Member> typical_assignments(const TypicalNetwork& typical, double line_rate);

/// Returns the numbers of a pack, which its platform has with documented facts and fit. Throws InputErrors, at the
/// pack's machine, where the platform cannot be had.
NetworkNumbers network_numbers(const BoardPack& board);

/// Returns those of all packs DIR/*.json, in the order of their files. Throws InputErrors as load_boards does.
std::vector<NetworkNumbers> all_network_numbers(const std::filesystem::path& directory);

} // namespace gradflight
