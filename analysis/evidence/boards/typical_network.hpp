// Typical numbers of a network between nodes, for a machine without a fit: from the fits of other machines.
#pragma once

#include "analysis/evidence/collective/measured_spread.hpp"
#include "scenarios/language/packs/measured_pack.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct BoardPack;

/// The network parameters of one pack's fit.
struct NetworkNumbers {
  /// Packs have the same `machine` if they use the same catalogue machine or platform file.
  std::string pack{}, machine{};
  std::optional<NetworkFabric> fabric{};
  NicWay way = NicWay::own_nic;
  double line_rate = 0;              ///< of one NIC in one direction, bytes per second; 0: nodes without NICs
  std::optional<double> latency_s{}; ///< of a NIC's cable, > 0; absent: not fitted, or only to calls beyond 64 KiB
  /// Attained rate of both directions together over twice the line rate, > 0; absent: not fitted.
  std::optional<double> rate_share{};
};

/// A number, and the packs of its origin.
struct TypicalNumber {
  double value = 0;
  std::vector<std::string> from{};
  std::string shared_property{}; ///< the common property of these machines: a fabric, or a way to the NIC
};

/// Absent numbers exist on no other machine; then the catalogue's values apply.
struct TypicalNetwork {
  std::optional<TypicalNumber> latency_s{}, rate_share{};
};

/// Returns medians over the packs on other machines: the latency for the same fabric, and the share for the same way to
/// the NIC. For an even count it uses the geometric mean of the two middle values, because latencies differ by orders
/// of magnitude. A pack without a fabric neither contributes nor receives values.
TypicalNetwork typical_network(const NetworkNumbers& left_out, const std::vector<NetworkNumbers>& all);

/// Returns `typical` as assignments to the machine: the latency of a NIC's cable, and the rate of a NIC for both
/// directions together, "26.4GB/s". Empty without typical values.
std::vector<Member> typical_assignments(const TypicalNetwork& typical, double line_rate);

/// Returns the numbers of a pack, from its platform with documented facts and fit. Throws InputErrors at the pack's
/// machine if the platform is not valid.
NetworkNumbers network_numbers(const BoardPack& board);

/// Returns the numbers of all packs DIR/*.json, in the order of their files. Throws InputErrors like load_boards.
std::vector<NetworkNumbers> all_network_numbers(const std::filesystem::path& directory);

} // namespace gradflight
