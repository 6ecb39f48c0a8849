#include "analysis/run/result/uneven_steps.hpp"

#include "analysis/run/result/verdict.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace gradflight {
namespace {

constexpr double differs = 1e-3; ///< relative: steps that are not alike

struct Span {
  double begin = 0, end = 0;
  [[nodiscard]] double length() const { return end - begin; }
  /// Of this span, the share that the other covers.
  [[nodiscard]] double share(const Span& other) const {
    return std::max(0.0, std::min(end, other.end) - std::max(begin, other.begin)) / length();
  }
};

/// Whether the second says anew what the first has said.
bool replaces(const ChangeSpec& later, const ChangeSpec& earlier) {
  return (later.bandwidth && earlier.bandwidth) || (later.latency && earlier.latency) ||
         (later.compute_speed && earlier.compute_speed) || (later.up && earlier.up);
}

/// From when to when the change in this row was in force.
Span in_force(const std::vector<ChangeSpec>& changes, const std::vector<ChangeRow>& came, std::size_t row) {
  for (std::size_t later = row + 1; later < came.size(); ++later)
    if (came[later].target == came[row].target && replaces(changes[came[later].entry], changes[came[row].entry]))
      return {came[row].at, came[later].at};
  return {came[row].at, std::numeric_limits<double>::infinity()};
}

std::string change_text(const ChangeRow& row, const Span& force) {
  const std::string until = std::isfinite(force.end) ? fmt::format("to {}", human_seconds(force.end)) : "on";
  return fmt::format("{}: {} from {} {}", row.target, row.what, human_seconds(row.at), until);
}

/// What tells the slowest step from the fastest; empty: nothing does.
std::string change_between(const std::vector<ChangeSpec>& changes, const std::vector<ChangeRow>& came,
                           const Span& slowest, const Span& fastest) {
  constexpr std::size_t looked_at = 1000; // changes that repeat are many
  std::string more, less;
  double most = 0, least = 0;
  for (std::size_t row = 0; row < std::min(came.size(), looked_at); ++row) {
    const Span force = in_force(changes, came, row);
    const double difference = slowest.share(force) - fastest.share(force);
    if (difference > most) {
      most = difference;
      more = change_text(came[row], force);
    } else if (difference < least) {
      least = difference;
      less = "before " + change_text(came[row], force);
    }
  }
  return more.empty() ? less : more;
}

} // namespace

std::string uneven_steps_text(const std::vector<ChangeSpec>& changes, const std::vector<ChangeRow>& came,
                              const RunResult& result) {
  const std::size_t count = result.iterations.size();
  if (came.empty() || count < 2) return "";
  const auto before = [&](std::size_t i) { return i > 0 ? result.iterations[i - 1] : IterationResult{}; };
  const auto step = [&](std::size_t i) { return Span{before(i).end, result.iterations[i].end}; };
  std::size_t slowest = 0, fastest = 0; // the first of those that are alike
  for (std::size_t i = 1; i < count; ++i) {
    if (step(i).length() > step(slowest).length() * (1 + differs)) slowest = i;
    if (step(i).length() < step(fastest).length() * (1 - differs)) fastest = i;
  }
  const Span slow = step(slowest), fast = step(fastest);
  if (!(slow.length() > fast.length() * (1 + differs))) return "";
  const double waited = at(result.iterations[slowest].path, Part::outage) - at(before(slowest).path, Part::outage);
  const std::string cause =
      waited > differs * slow.length()
          ? fmt::format("waiting for {}: {}", outage_text(result, slow.begin, slow.end), human_seconds(waited))
          : change_between(changes, came, slow, fast);
  if (cause.empty()) return "";
  return fmt::format(
      "Step {} of {} is the slowest, {} ({}); step {} is the fastest, {}. Of the last one: ", slowest + 1, count,
      human_seconds(slow.length()), cause, fastest + 1, human_seconds(fast.length()));
}

} // namespace gradflight
