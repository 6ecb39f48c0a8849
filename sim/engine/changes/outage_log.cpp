#include "sim/engine/changes/outage_log.hpp"

#include <algorithm>

namespace gradflight {

std::int32_t OutageLog::begin(std::int32_t link, std::int32_t entry, double now) {
  const auto [found, fresh] = last_.try_emplace(link);
  Last& last = found->second;
  if (fresh || all_.size() < most_entries) {
    last.outage = all_.size();
    all_.push_back({.link = link, .seconds = 0, .from = now, .until = now, .times = 0, .entry = entry});
  }
  ++all_[last.outage].times;
  last.since = now;
  last.still = true;
  return static_cast<std::int32_t>(last.outage);
}

void OutageLog::end(std::int32_t link, double now) {
  Last& last = last_.at(link);
  all_[last.outage].until = now;
  last.still = false;
}

std::optional<double> OutageLog::since(std::int32_t link) const {
  const auto found = last_.find(link);
  return found == last_.end() ? std::nullopt : std::optional(found->second.since);
}

void OutageLog::update(LinkOutage& outage, double end) const {
  auto own = std::ranges::lower_bound(all_, outage.from, {}, &LinkOutage::from); // they are in this order
  while (own != all_.end() && own->link != outage.link) ++own;
  if (own == all_.end() || own->from != outage.from) return;
  const Last& last = last_.at(outage.link);
  outage.until = last.still && last.outage == static_cast<std::size_t>(&*own - all_.data()) ? end : own->until;
  outage.times = own->times;
}

std::vector<LinkOutage> OutageLog::awaited(const std::vector<LinkDelay>& waits, double end) const {
  std::vector<LinkOutage> all;
  for (const LinkDelay& wait : waits) {
    LinkOutage& outage = all.emplace_back(all_[static_cast<std::size_t>(wait.link)]);
    outage.seconds = wait.seconds;
    update(outage, end);
  }
  return all;
}

} // namespace gradflight
