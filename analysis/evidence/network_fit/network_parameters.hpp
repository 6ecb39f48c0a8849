// The parameters of a platform that a table of times may determine: latency and rate of the cables between nodes, or
// inside a node.
#pragma once

#include "models/units/unit_text.hpp"
#include "platforms/code/spec/spec.hpp"

#include <limits>
#include <string>
#include <vector>

namespace gradflight {

/// A number of the platform, which may occur in several places.
struct NetworkParameter {
  std::string name;               ///< "latency of a NIC's cable"
  std::vector<std::string> paths; ///< in the form of `--set`
  Dimension dimension = Dimension::time;
  double start = 0;            ///< the platform's value: seconds, or bytes per second
  double lower = 0, upper = 0; ///< > 0; `start` is within these, unless it is 0

  /// Returns the value for an assignment, "3.2us", "22.5GB/s": with eight digits, or two beyond the first of its
  /// uncertainty.
  [[nodiscard]] std::string text(double value, double uncertainty = 0) const;
  /// Returns the same for people: "3.2 us", "22.5 GB/s", with at most six digits.
  [[nodiscard]] std::string shown(double value, double uncertainty = std::numeric_limits<double>::infinity()) const;
  /// Returns `PATH=VALUE` for each path.
  [[nodiscard]] std::vector<std::string> assignments(const std::string& text) const;
};

/// Returns latency, then rate. Empty if a message costs nothing there: GPUs of a node without their own links. If the
/// rows send `both_ways` at the same time, the rate of a NIC is that of both directions together
/// (`nic_total_bandwidth`), at most twice the port's rate. Otherwise it is the rate of each direction
/// (`egress_bandwidth`, `ingress_bandwidth`), at most the port's rate. The port's own rate does not change, because
/// libraries make choices by it.
std::vector<NetworkParameter> network_parameters(const PlatformSpec& platform, bool between_nodes, bool both_ways);

} // namespace gradflight
