// How busy each link of a timeline is, moment by moment. Internal to analysis/.
#pragma once

#include "sim/result/timeline.hpp"

#include <vector>

namespace gradflight {

struct LinkMoment {
  int link;
  double time;    ///< s
  double percent; ///< of its bandwidth, from then on
};

/// By link, then by time: each moment at which its utilisation changes, of transfers at their mean rates.
std::vector<LinkMoment> link_moments(const Timeline& timeline);

} // namespace gradflight
