// A scenario's description of a cluster that changes during a run. Values only; changes.hpp finds the links and places.
#pragma once

#include "base/profile.hpp"
#include "models/units/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// One entry. Exactly one of `link`, `nodes`, `nic`, `switch_name` and `gpu` is set, and at least one value.
struct ChangeSpec {
  Seconds at{};              ///< >= 0; in a list, never earlier than the previous entry
  std::string link{};        ///< a directed link by its name in Platform::links()
  std::vector<int> nodes{};  ///< their NICs' cables (both directions; of a graph: every link at them) and their
                             ///< GPUs; sorted, unique
  std::string nic{};         ///< "node3.nic1" or "node3": its cable, both directions
  std::string switch_name{}; ///< every link to or from it
  std::optional<int> gpu{};  ///< its number on the platform
  std::optional<ByteRate> bandwidth{};   ///< > 0
  std::optional<Seconds> latency{};      ///< >= 0
  std::optional<double> compute_speed{}; ///< > 0; as in overrides: 1 is the workload's speed
  std::optional<bool> up{};              ///< false: links carry nothing until they are up again
  std::optional<Seconds> period{};       ///< > at: the change repeats at at, at + period, at + 2 period, ...

  [[nodiscard]] Recurrence times() const { return {at.value(), period ? period->value() : 0}; }
};

} // namespace gradflight
