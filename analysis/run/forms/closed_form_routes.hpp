// Common properties of the routes of an exchange's messages: the basis of a closed form's assumptions about links.
#pragma once

#include "models/schedules/rounds.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

class Platform;

/// Collects the routes of steps, one step at a time. Senders and receivers are places. O(messages * route length).
/// Messages within a place cost nothing and are ignored.
class RouteSurvey {
public:
  explicit RouteSurvey(const Platform& platform);

  void add(const Messages& step);

  [[nodiscard]] bool empty() const { return messages_ == 0; }
  [[nodiscard]] double alpha() const { return alpha_high_; } ///< the largest latency, seconds
  [[nodiscard]] double beta() const;                         ///< seconds per byte on the narrowest route, alone on it
  [[nodiscard]] bool alike() const { return unlike_.empty(); }
  /// The first route that differs from the first of all routes.
  [[nodiscard]] const std::string& unlike() const { return unlike_; }
  [[nodiscard]] const std::string& unlike_alpha() const { return unlike_alpha_; } ///< the same, for alpha only
  [[nodiscard]] bool exclusive() const { return shared_.empty(); }
  [[nodiscard]] const std::string& shared() const { return shared_; } ///< the first link with two messages of a step

  /// Whether every link serves one sender or one receiver in all steps, so that even ranks out of step never share a
  /// link.
  [[nodiscard]] bool ordered() const { return crossed_.empty(); }
  /// The first link with several senders and receivers.
  [[nodiscard]] const std::string& crossed() const { return crossed_; }

  /// Load of the last added step, with equal messages. `seconds_per_byte` is that of the busiest link: messages over
  /// bandwidth. `even` is true if every message crosses a link with this load; with equal shares, all messages then end
  /// together.
  struct Load {
    double seconds_per_byte = 0;
    bool even = true;
    std::string uneven; ///< a message without such a link
  };
  [[nodiscard]] const Load& load() const { return load_; }

private:
  /// The users of a link so far; several: more than one.
  struct Users {
    static constexpr std::int32_t none = -1, several = -2;
    std::int32_t from = none, to = none;
  };

  const Platform& platform_;
  std::vector<std::int32_t> flows_; ///< for each link, in the current step
  std::vector<Users> users_;        ///< for each link, in all steps
  std::int64_t messages_ = 0;
  double alpha_first_ = 0, alpha_high_ = 0, bandwidth_first_ = 0, bandwidth_low_ = 0;
  std::string unlike_, unlike_alpha_, shared_, crossed_;
  Load load_;

  void compare(int from, int to);
  void use(std::int32_t link, int from, int to);
  void weigh(const Messages& step);
};

} // namespace gradflight
