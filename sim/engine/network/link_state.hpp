// The links of a run and what they can carry now: the platform's, then the stages of compressing NICs.
//
// Whoever needs a link's bandwidth asks here when it needs it and keeps no copy.
#pragma once

#include "platforms/code/platform.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace gradflight {

class LinkState {
public:
  explicit LinkState(std::span<const double> bandwidths) : bandwidth_(bandwidths.begin(), bandwidths.end()) {}
  LinkState(const std::vector<DirectedLink>& links, const std::vector<DirectedLink>& stages) {
    bandwidth_.reserve(links.size() + stages.size());
    for (const auto* some : {&links, &stages})
      for (const DirectedLink& link : *some) bandwidth_.push_back(link.bandwidth);
  }

  [[nodiscard]] std::size_t size() const { return bandwidth_.size(); }
  /// Bytes per second.
  [[nodiscard]] double bandwidth(std::int32_t link) const { return bandwidth_[static_cast<std::size_t>(link)]; }
  /// The least bandwidth of a route; infinity where it is empty.
  template <class Links> [[nodiscard]] double bottleneck(const Links& route) const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::int32_t link : route) least = std::min(least, bandwidth(link));
    return least;
  }
  /// No link changes during the run: what was worked out ahead of time stays true.
  [[nodiscard]] static constexpr bool constant() { return true; }

private:
  std::vector<double> bandwidth_;
};

} // namespace gradflight
