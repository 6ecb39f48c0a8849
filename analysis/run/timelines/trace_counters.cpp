#include "analysis/run/timelines/trace_counters.hpp"

#include <algorithm>

namespace gradflight {

std::vector<LinkMoment> link_moments(const Timeline& timeline) {
  std::vector<LinkChange> changes = timeline.links;
  std::stable_sort(changes.begin(), changes.end(), [](const LinkChange& a, const LinkChange& b) {
    return a.link != b.link ? a.link < b.link : a.time < b.time;
  });
  std::vector<LinkMoment> moments;
  double rate = 0;
  int transfers = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const LinkChange& change = changes[i];
    if (i > 0 && changes[i - 1].link != change.link) {
      rate = 0;
      transfers = 0;
    }
    rate += change.rate;
    transfers += change.rate > 0 ? 1 : -1;
    if (transfers == 0) rate = 0; // removes rounding errors
    const bool same_moment =
        i + 1 < changes.size() && changes[i + 1].link == change.link && changes[i + 1].time == change.time;
    if (same_moment) continue;
    moments.push_back(
        {change.link, change.time, 100 * rate / timeline.link_bandwidths.at(static_cast<std::size_t>(change.link))});
  }
  return moments;
}

} // namespace gradflight
