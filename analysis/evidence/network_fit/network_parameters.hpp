// What of a platform a table of times may tell: latency and rate of the cables between nodes, or inside one.
#pragma once

#include "models/units/unit_text.hpp"
#include "platforms/code/spec/spec.hpp"

#include <limits>
#include <string>
#include <vector>

namespace gradflight {

/// A number of the platform, which may stand in several places.
struct NetworkParameter {
  std::string name;               ///< "latency of a NIC's cable"
  std::vector<std::string> paths; ///< as `--set` has them
  Dimension dimension = Dimension::time;
  double start = 0;            ///< what the platform says: seconds, or bytes per second
  double lower = 0, upper = 0; ///< > 0; start is within unless it is 0

  /// The value as it is assigned, "3.2us", "22.5GB/s": to eight digits, or two beyond its uncertainty's first.
  [[nodiscard]] std::string text(double value, double uncertainty = 0) const;
  /// The same for people: "3.2 us", "22.5 GB/s", to six digits at most.
  [[nodiscard]] std::string shown(double value, double uncertainty = std::numeric_limits<double>::infinity()) const;
  /// `PATH=VALUE` for each path.
  [[nodiscard]] std::vector<std::string> assignments(const std::string& text) const;
};

/// Latency, then rate. Empty where a message costs nothing there: GPUs of a node without links of their own.
/// The rate of a NIC: where the rows send `both_ways` at once, what it sends and receives together
/// (`nic_total_bandwidth`), at most twice the port's; else that of each direction (`egress_bandwidth`,
/// `ingress_bandwidth`), at most the port's. The port's, by which libraries choose, stays.
std::vector<NetworkParameter> network_parameters(const PlatformSpec& platform, bool between_nodes, bool both_ways);

} // namespace gradflight
