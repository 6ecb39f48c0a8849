// When links went down and came up again during a run.
#pragma once

#include "sim/result/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gradflight {

/// Numbers each outage of a link. After very many outages, a link's later ones count towards its last one.
class OutageLog {
public:
  /// Returns the outage's number. `entry`: PlatformChange::entry of the change that begins it.
  std::int32_t begin(std::int32_t link, std::int32_t entry, double now);
  void end(std::int32_t link, double now);
  /// Returns when a link last went down (seconds); nothing if it never did.
  [[nodiscard]] std::optional<double> since(std::int32_t link) const;
  /// Returns the outages that messages have waited for. `waits` holds outage numbers in place of links, and the seconds
  /// waited. A link that is still down counts as down until `end` (seconds).
  [[nodiscard]] std::vector<LinkOutage> awaited(const std::vector<LinkDelay>& waits, double end) const;
  /// Gives an outage that awaited() returned the end that is known now.
  void update(LinkOutage& outage, double end) const;

private:
  static constexpr std::size_t most_entries = 10'000;
  struct Last {
    std::size_t outage = 0; ///< index in all_
    double since = 0;
    bool still = false;
  };
  std::vector<LinkOutage> all_;
  std::map<std::int32_t, Last> last_; ///< of each link that went down
};

} // namespace gradflight
