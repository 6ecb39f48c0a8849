// The utilisation of each link in a timeline at each moment. Internal to analysis/.
#pragma once

#include "sim/result/timeline.hpp"

#include <vector>

namespace gradflight {

struct LinkMoment {
  int link;
  double time;    ///< s
  double percent; ///< percent of its bandwidth, from this time on
};

/// Returns each moment at which a link's utilisation changes, by link, then by time. Transfers have their mean rates.
std::vector<LinkMoment> link_moments(const Timeline& timeline);

} // namespace gradflight
