// A simulation that could not be finished, and the streams that it was waiting for.
#pragma once

#include "sim/engine/streams/stream.hpp"
#include "sim/result/result.hpp"

#include <stdexcept>

namespace gradflight {

/// Deadlock, or beyond the limit of simulated time or the largest double (exit code 3).
class SimulationFailure : public std::runtime_error {
public:
  SimulationFailure(const std::string& what, std::vector<Blocked> who);
  std::vector<Blocked> blocked;   ///< every unfinished stream, at most 64, lowest rank first
  std::int64_t blocked_count = 0; ///< number of all unfinished streams
};

/// Something that a shortcut has predicted does not happen. The run must be repeated without shortcuts.
class ShortcutFails : public std::logic_error {
public:
  ShortcutFails() : std::logic_error("a repeated call differs from its prediction") {}
  explicit ShortcutFails(const std::string& why) : std::logic_error(why) {}
};

/// A ring cannot be computed at once, because one of its links is down when it begins, or changes before it ends.
class ShortcutCrossesChange : public ShortcutFails {
public:
  ShortcutCrossesChange() : ShortcutFails("a link is down or changes during a ring that a shortcut computes") {}
};

/// Throws with the list of streams that have not ended.
[[noreturn]] void fail(const Streams& streams, const std::string& what);

} // namespace gradflight
