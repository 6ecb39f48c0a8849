// A scenario's changes on a built platform: which property of which link or place changes, when, and to which value.
#pragma once

#include "base/profile.hpp"
#include "platforms/code/spec/change_spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

struct DirectedLink;
class Platform;
struct PlatformError;
struct PlatformSpec;

/// One property of one link or place, at one time or at `at`, `at` + `period`, ...
struct PlatformChange {
  enum class What : std::uint8_t {
    bandwidth,     ///< of a link: bytes per second
    latency,       ///< of a link: seconds
    link_state,    ///< 1: up; 0: down, it carries nothing
    compute_speed, ///< of a place: 1 is the workload's speed
    place_state    ///< 1: it computes; 0: it does not
  };
  What what = What::bandwidth;
  std::int32_t target = 0; ///< the link's or the place's number
  double at = 0;           ///< seconds
  double period = 0;       ///< seconds, more than `at`; 0: the change happens once
  double value = 0;        ///< the new value
  std::int32_t entry = 0;  ///< its index in the scenario's list

  [[nodiscard]] Recurrence times() const { return {at, period}; }
  [[nodiscard]] bool of_link() const { return what <= What::link_state; }
  friend bool operator==(const PlatformChange&, const PlatformChange&) = default;
};

/// Sorted by time, then by the order of the list. Appends mistakes to `errors`, with pointers into the scenario
/// ("/changes/3/link"): unknown links, nodes, NICs, switches and GPUs, two changes of one property at one time, and
/// changes of one property that mix repeating and single ones or different periods. `spec` is the platform's.
std::vector<PlatformChange> find_changes(const std::vector<ChangeSpec>& changes, const PlatformSpec& spec,
                                         const Platform& platform, std::vector<PlatformError>& errors);

/// 0 1 2 3 7 -> "0-3,7"; `nodes` must be sorted, without repetition.
std::string format_node_numbers(const std::vector<int>& nodes);

/// Returns the target of a change: "node3.up", "NIC node3", "switch rack0", "GPU 2", "nodes 0-3".
std::string change_target(const ChangeSpec& change);

/// "the link node3.up", "GPU 1 of node 3", "node 9" (of a server).
std::string changed_thing(const PlatformChange& change, const Platform& platform);

/// "; did you mean "node3.up"?", or nothing. Prefers links of the same node, rack, ...
std::string nearest_link_hint(const std::string& name, const std::vector<DirectedLink>& links);

} // namespace gradflight
