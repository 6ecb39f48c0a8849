// When links went down and came up again during a run.
#pragma once

#include "sim/result/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gradflight {

class OutageLog {
public:
  void begin(std::int32_t link, double now);
  void end(std::int32_t link, double now);
  /// When a link went down last (seconds); nothing of one that never did.
  [[nodiscard]] std::optional<double> since(std::int32_t link) const;
  /// Of the links that messages have waited for, with how long. One that is still down is so until `end` (seconds).
  [[nodiscard]] std::vector<LinkOutage> of(const std::vector<LinkDelay>& waits, double end) const;

private:
  struct Down {
    LinkOutage all{};
    double since = 0;
    bool still = false;
  };
  std::map<std::int32_t, Down> links_;
};

} // namespace gradflight
