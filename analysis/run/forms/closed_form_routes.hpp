// What the routes of an exchange's messages have in common: the facts behind a closed form's assumptions about links.
#pragma once

#include "models/schedules/rounds.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

class Platform;

/// Collects the routes of steps, one step at a time; senders and receivers are places. O(messages * route length);
/// messages within a place are free and ignored.
class RouteSurvey {
public:
  explicit RouteSurvey(const Platform& platform);

  void add(const Messages& step);

  [[nodiscard]] bool empty() const { return messages_ == 0; }
  [[nodiscard]] double alpha() const { return alpha_high_; } ///< the longest, seconds
  [[nodiscard]] double beta() const;                         ///< of the narrowest route alone on it, seconds a byte
  [[nodiscard]] bool alike() const { return unlike_.empty(); }
  [[nodiscard]] const std::string& unlike() const {
    return unlike_;
  } ///< the first route that differs from the first of all
  [[nodiscard]] const std::string& unlike_alpha() const { return unlike_alpha_; } ///< the same, looking at alpha alone
  [[nodiscard]] bool exclusive() const { return shared_.empty(); }
  [[nodiscard]] const std::string& shared() const {
    return shared_;
  } ///< the first link that carries two messages of a step

  /// Every link serves one sender or one receiver over all steps, so that even ranks out of step never meet on one.
  [[nodiscard]] bool ordered() const { return crossed_.empty(); }
  [[nodiscard]] const std::string& crossed() const { return crossed_; } ///< the first link that serves several of both

  /// With equal messages: seconds a byte on the busiest link, messages over bandwidth, of the last step added; and
  /// whether every one of its messages crosses a link that busy, so that with equal shares all of them end together.
  struct Load {
    double seconds_per_byte = 0;
    bool even = true;
    std::string uneven; ///< a message that does not
  };
  [[nodiscard]] const Load& load() const { return load_; }

private:
  /// Who has used a link so far; several: more than one.
  struct Users {
    static constexpr std::int32_t none = -1, several = -2;
    std::int32_t from = none, to = none;
  };

  const Platform& platform_;
  std::vector<std::int32_t> flows_; ///< per link, of the step being added
  std::vector<Users> users_;        ///< per link, over all steps
  std::int64_t messages_ = 0;
  double alpha_first_ = 0, alpha_high_ = 0, bandwidth_first_ = 0, bandwidth_low_ = 0;
  std::string unlike_, unlike_alpha_, shared_, crossed_;
  Load load_;

  void compare(int from, int to);
  void use(std::int32_t link, int from, int to);
  void weigh(const Messages& step);
};

} // namespace gradflight
