// When links went down and came up again during a run.
#pragma once

#include "sim/result/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gradflight {

/// Each outage of a link has a number. Of very many, later ones of a link count for its last one.
class OutageLog {
public:
  /// Returns the outage's number.
  std::int32_t begin(std::int32_t link, double now);
  void end(std::int32_t link, double now);
  /// When a link went down last (seconds); nothing of one that never did.
  [[nodiscard]] std::optional<double> since(std::int32_t link) const;
  /// The outages that messages have waited for: `waits` has their numbers in place of links, and for how long. A link
  /// that is still down is so until `end` (seconds).
  [[nodiscard]] std::vector<LinkOutage> of(const std::vector<LinkDelay>& waits, double end) const;

private:
  static constexpr std::size_t told_apart = 10'000;
  struct Last {
    std::size_t outage = 0; ///< of all_
    double since = 0;
    bool still = false;
  };
  std::vector<LinkOutage> all_;
  std::map<std::int32_t, Last> last_; ///< of each link that went down
};

} // namespace gradflight
