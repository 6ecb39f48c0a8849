// The number of messages of a run before it begins: from its schedules, in O(ranks).
#pragma once

#include <optional>
#include <string>

namespace gradflight {

class Platform;
struct Scenario;

struct MessageCount {
  double all = 0;        ///< includes messages to the sender's own place, which cost nothing
  double one_by_one = 0; ///< that no shortcut replaces; repeated calls count, too
  /// Those of `one_by_one` in calls that do not repeat earlier ones (sim/engine/repeated_calls.hpp), if each call ends
  /// before the next one begins.
  double unlike = 0;
};
/// `shortcuts`: allowed if the scenario allows them (no timeline is recorded).
MessageCount message_count(const Scenario& scenario, const Platform& platform, bool shortcuts);

/// Returns why the scenario is refused, if it must simulate more messages than limits.messages; else nothing.
std::optional<std::string> too_many_messages(const Scenario& scenario, const Platform& platform, bool shortcuts);

} // namespace gradflight
