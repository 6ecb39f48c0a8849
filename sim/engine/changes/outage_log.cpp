#include "sim/engine/changes/outage_log.hpp"

namespace gradflight {

void OutageLog::begin(std::int32_t link, double now) {
  const auto [found, fresh] = links_.try_emplace(link);
  Down& down = found->second;
  if (fresh) down.all = {.link = link, .seconds = 0, .from = now, .until = now, .times = 0};
  ++down.all.times;
  down.since = now;
  down.still = true;
}

void OutageLog::end(std::int32_t link, double now) {
  Down& down = links_.at(link);
  down.all.until = now;
  down.still = false;
}

std::optional<double> OutageLog::since(std::int32_t link) const {
  const auto found = links_.find(link);
  return found == links_.end() ? std::nullopt : std::optional(found->second.since);
}

std::vector<LinkOutage> OutageLog::of(const std::vector<LinkDelay>& waits, double end) const {
  std::vector<LinkOutage> all;
  for (const LinkDelay& wait : waits) {
    const auto found = links_.find(wait.link);
    if (found == links_.end()) continue;
    LinkOutage& outage = all.emplace_back(found->second.all);
    outage.seconds = wait.seconds;
    if (found->second.still) outage.until = end;
  }
  return all;
}

} // namespace gradflight
