// How many messages a run has, before it begins: from its schedules, in O(ranks).
#pragma once

#include <optional>
#include <string>

namespace gradflight {

class Platform;
struct Scenario;

struct MessageCount {
  double all = 0;        ///< those to one's own place, which cost nothing, included
  double one_by_one = 0; ///< that no shortcut stands for, but that of calls that repeat earlier ones
  /// Of these: of calls that do not repeat earlier ones (sim/engine/repeated_calls.hpp), where each call is over before
  /// the next one begins.
  double unlike = 0;
};
/// `shortcuts`: they may be taken where the scenario allows it (no timeline is recorded).
MessageCount message_count(const Scenario& scenario, const Platform& platform, bool shortcuts);

/// Why the scenario is refused, where it has more messages to simulate one by one than limits.messages; else nothing.
std::optional<std::string> too_many_messages(const Scenario& scenario, const Platform& platform, bool shortcuts);

} // namespace gradflight
