// The links of a run and their current capacity: the platform's links, then the stages of compressing NICs.
//
// Code that needs a link's bandwidth or latency asks here each time and keeps no copy.
#pragma once

#include "platforms/code/platform.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace gradflight {

class LinkState {
public:
  explicit LinkState(std::span<const double> bandwidths)
      : bandwidth_(bandwidths.begin(), bandwidths.end()), when_up_(bandwidth_), latency_(bandwidth_.size()),
        tier_(bandwidth_.size(), 1) {}
  LinkState(const std::vector<DirectedLink>& links, const std::vector<DirectedLink>& stages) {
    bandwidth_.reserve(links.size() + stages.size());
    tier_.reserve(links.size() + stages.size());
    for (const auto* some : {&links, &stages})
      for (const DirectedLink& link : *some) {
        tier_.push_back(std::uint32_t{1} << static_cast<unsigned>(link.role.tier));
        bandwidth_.push_back(link.bandwidth);
        latency_.push_back(link.latency);
      }
    when_up_ = bandwidth_;
  }

  [[nodiscard]] std::size_t size() const { return bandwidth_.size(); }
  /// Bytes per second; 0 while the link is down.
  [[nodiscard]] double bandwidth(std::int32_t link) const { return bandwidth_[static_cast<std::size_t>(link)]; }
  /// Returns the least bandwidth of a route (bytes per second); infinity if the route is empty.
  template <class Links> [[nodiscard]] double bottleneck(const Links& route) const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::int32_t link : route) least = std::min(least, bandwidth(link));
    return least;
  }
  /// The same with all links up.
  template <class Links> [[nodiscard]] double bottleneck_when_up(const Links& route) const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::int32_t link : route) least = std::min(least, when_up_[static_cast<std::size_t>(link)]);
    return least;
  }
  /// A bit for the tier (LinkTier) of a link.
  [[nodiscard]] std::uint32_t tier(std::int32_t link) const { return tier_[static_cast<std::size_t>(link)]; }
  /// The least bandwidth of a non-empty route, and the tiers of the links that have it, one bit each.
  struct Narrowest {
    double bandwidth = std::numeric_limits<double>::infinity();
    std::uint32_t tiers = 0;
  };
  template <class Links> [[nodiscard]] Narrowest narrowest(const Links& route) const {
    Narrowest found;
    for (const std::int32_t link : route) {
      const double own = bandwidth(link);
      if (own > found.bandwidth) continue;
      found.tiers = own < found.bandwidth ? tier(link) : found.tiers | tier(link);
      found.bandwidth = own;
    }
    return found;
  }
  /// Seconds.
  [[nodiscard]] double latency(std::int32_t link) const { return latency_[static_cast<std::size_t>(link)]; }
  [[nodiscard]] bool up(std::int32_t link) const {
    return bandwidth(link) > 0 || when_up_[static_cast<std::size_t>(link)] <= 0;
  }

  /// Sets a link's bandwidth from now on; for a link that is down, the one it will have once it is up again.
  void set_bandwidth(std::int32_t link, double bandwidth) {
    const bool was_up = up(link);
    when_up_[static_cast<std::size_t>(link)] = bandwidth;
    if (was_up) bandwidth_[static_cast<std::size_t>(link)] = bandwidth;
  }
  void set_latency(std::int32_t link, double latency) { latency_[static_cast<std::size_t>(link)] = latency; }
  void set_up(std::int32_t link, bool up) {
    const auto l = static_cast<std::size_t>(link);
    bandwidth_[l] = up ? when_up_[l] : 0;
  }

private:
  std::vector<double> bandwidth_, when_up_, latency_;
  std::vector<std::uint32_t> tier_;
};

} // namespace gradflight
