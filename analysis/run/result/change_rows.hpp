// Which of a scenario's changes came during a run, for people and programs.
#pragma once

#include "platforms/code/spec/change_spec.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gradflight {

/// A change that came.
struct ChangeRow {
  double at = 0;         ///< seconds
  std::size_t entry = 0; ///< its place in the scenario's list
  std::string target;    ///< "node3.up", "nodes 0-3", "GPU 2"
  std::string what;      ///< "bandwidth 4 Gbps, latency 10 us"
};

/// Of those that repeat no more than this are listed.
inline constexpr std::size_t change_rows_kept = 10'000;

/// What a change changes: "node3.up", "NIC node3", "switch rack0", "GPU 2", "nodes 0-3".
std::string change_target(const ChangeSpec& change);

/// Up to `end` (seconds), in order of time; the first change_rows_kept.
std::vector<ChangeRow> changes_until(const std::vector<ChangeSpec>& changes, double end);

} // namespace gradflight
