// The changes that occurred during a run, for people and programs.
#pragma once

#include "platforms/code/spec/change_spec.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gradflight {

/// A change that occurred.
struct ChangeRow {
  double at = 0;         ///< seconds
  std::size_t entry = 0; ///< index in the scenario's list
  std::string target;    ///< "node3.up", "nodes 0-3", "GPU 2"
  std::string what;      ///< "bandwidth 4 Gbps, latency 10 us"
};

/// Largest number of listed changes; repeated changes may occur often.
inline constexpr std::size_t change_rows_kept = 10'000;

/// Returns changes up to `end` (seconds) in order of time; at most the first change_rows_kept.
std::vector<ChangeRow> changes_until(const std::vector<ChangeSpec>& changes, double end);

} // namespace gradflight
