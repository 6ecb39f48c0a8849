// A scenario's description of failures. Values only; components.hpp finds the components on a platform.
#pragma once

#include "models/units/units.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gradflight {

enum class ComponentKind : std::uint8_t { node, gpu, nic, link, switch_ };
inline constexpr int component_kinds = 5;
/// "node", "GPU", "NIC", "link", "switch".
const char* component_kind_name(ComponentKind kind);

/// For each component of a kind.
struct FailureRate {
  Seconds mtbf{};                ///< > 0: mean time from being up to failing
  std::optional<Seconds> mttr{}; ///< mean time to repair; 0: up again at once; absent: never repaired
  double shape = 1;              ///< > 0: Weibull shape of the time to failure; 1: exponential
  bool constant_repair = false;  ///< every repair takes mttr; else exponential
  bool weibull = false;          ///< the scenario gave it as a Weibull distribution
};

struct FailureSpec {
  std::array<std::optional<FailureRate>, component_kinds> rates{};
  std::int64_t seed = 0;
  int repeats = 1; ///< lifetimes drawn, with seed, seed + 1, ...

  [[nodiscard]] std::optional<FailureRate>& at(ComponentKind kind) { return rates[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const std::optional<FailureRate>& at(ComponentKind kind) const {
    return rates[static_cast<std::size_t>(kind)];
  }
};

} // namespace gradflight
