// Which links have held up the messages of critical paths, or were down, and for how long.
//
// A path names the last delay on it and each delay the one before, so that a path is copied as it is and paths that
// have come together share what lies behind. compact() drops what no path names any more and sums up, link by link,
// every stretch that its paths have in common: memory is O(paths + links), and what came since paths have parted.
#pragma once

#include "platforms/code/platform.hpp"
#include "sim/result/result.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace gradflight {

/// The last delay on a path; 0: there is none.
using DelayId = std::uint32_t;

/// A critical path with what has held it up.
struct TracedPath : Path { // NOLINT(cppcoreguidelines-pro-type-member-init): an aggregate, {} makes all of it zero
  HeldBy held{};
  double straggling = 0; ///< IterationResult::straggling
  DelayId last_delay = 0;
  std::uint32_t origin = 0; ///< the rank through which it has come where RepeatedCalls began to note a stretch

  /// Links of each tier in `tiers` (LinkState::Narrowest) have held up a message together for `seconds`.
  void hold(std::uint32_t tiers, double seconds) {
    if (std::has_single_bit(tiers)) {
      held[static_cast<std::size_t>(std::countr_zero(tiers))] += seconds;
      return;
    }
    const double each = seconds / std::popcount(tiers);
    for (std::uint32_t rest = tiers; rest != 0; rest &= rest - 1)
      held[static_cast<std::size_t>(std::countr_zero(rest))] += each;
  }
};

class Delays {
public:
  /// Of the links of a run, and those of its NICs; they must outlive this.
  Delays(std::span<const DirectedLink> links, std::span<const DirectedLink> stages)
      : links_(links), stages_(stages), all_(1) {}

  [[nodiscard]] DelayId add(DelayId before, std::int32_t link, double seconds) {
    all_.push_back({before, link, seconds});
    return static_cast<DelayId>(all_.size() - 1);
  }
  /// A link goes down; its outage has a number of its own.
  void begin_outage(std::int32_t link, std::int32_t number) {
    outages_.resize(static_cast<std::size_t>(count()), 0);
    outages_[static_cast<std::size_t>(link)] = number;
  }
  /// A message has waited for a link in its latest outage.
  [[nodiscard]] DelayId add_outage(DelayId before, std::int32_t link, double seconds) {
    return add(before, count() + (outages_.empty() ? 0 : outages_[static_cast<std::size_t>(link)]), seconds);
  }
  /// A path like the one up to `last`, on which delays behind `from` took `factor` times as long; outages did not.
  [[nodiscard]] DelayId scaled(DelayId last, DelayId from, double factor);
  /// Of both directions of links that are built alike, the same number. Of links that hold a message up together only
  /// the first of each kind and bandwidth, as it is then, is named.
  [[nodiscard]] std::int32_t kind(std::int32_t link);

  [[nodiscard]] std::size_t size() const { return all_.size() - 1; }
  [[nodiscard]] bool full() const { return all_.size() > limit_; }
  /// `paths`: all that are still to be told of; each then names its delays anew.
  void compact(std::span<DelayId* const> paths);
  /// Of a path, of each link that held messages up, in their order.
  [[nodiscard]] std::vector<LinkDelay> of(DelayId last) const;
  /// Of a path, of each outage that messages waited for: `link` is the outage's number.
  [[nodiscard]] std::vector<LinkDelay> outages_of(DelayId last) const;
  /// Of a path without outages, up to `last`: of each link, in their order, the seconds since `from`, which has stayed
  /// named. Returns how many delays that were.
  std::size_t between(DelayId from, DelayId last, std::vector<LinkDelay>& found) const;

private:
  struct Delay {
    DelayId before = 0;
    std::int32_t link = 0;
    double seconds = 0;
  };
  static constexpr std::size_t few = 1 << 13; ///< fit a processor's own cache

  /// Numbers from here on stand for outages.
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(links_.size() + stages_.size()); }
  [[nodiscard]] std::vector<LinkDelay> sums(DelayId last) const;

  std::span<const DirectedLink> links_, stages_;
  std::vector<Delay> all_; ///< each behind the one before; the first is none
  std::size_t limit_ = few;
  std::vector<std::int32_t> kinds_;   ///< of each link, once one was asked for
  std::vector<std::int32_t> outages_; ///< of each link: the number of the latest; empty: none went down
};

} // namespace gradflight
