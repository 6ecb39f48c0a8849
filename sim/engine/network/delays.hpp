// For critical paths: which links have held up their messages or were down, and for how long. Also what other traffic
// shared these links, and what changes have cost the path.
//
// A path names its last delay, and each delay names the one before. So paths are cheap to copy, and merged paths share
// their common history. compact() drops delays that no path names any more. It also sums up, link by link, every
// stretch that its paths have in common: memory is O(paths + links) plus what came since the paths parted.
#pragma once

#include "platforms/code/changes.hpp"
#include "platforms/code/platform.hpp"
#include "sim/result/result.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace gradflight {

/// The last delay on a path; 0: none.
using DelayId = std::uint32_t;

/// A critical path with its delays.
struct TracedPath : Path { // NOLINT(cppcoreguidelines-pro-type-member-init): an aggregate, {} makes all of it zero
  HeldBy held{};
  PathDetails details{};
  DelayId last_delay = 0;
  std::uint32_t origin = 0; ///< the rank that the path came through when RepeatedCalls began to note a stretch

  /// Links of each tier in `tiers` (LinkState::Narrowest) have together held up a message for `seconds`. Of these, the
  /// links themselves account for `links_share` (Weight), and the library's protocol for the rest.
  void hold(std::uint32_t tiers, double seconds, double links_share = 1) {
    if (links_share < 1) {
      details.protocol += seconds * (1 - links_share);
      seconds *= links_share;
    }
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
  using What = PlatformChange::What;

  /// `links` of the run and `stages` of its NICs must outlive this.
  Delays(std::span<const DirectedLink> links, std::span<const DirectedLink> stages)
      : links_(links), stages_(stages), all_(1), notes_(1) {}

  [[nodiscard]] DelayId add(DelayId before, std::int32_t link, double seconds) {
    all_.push_back({before, link, seconds});
    return static_cast<DelayId>(all_.size() - 1);
  }
  /// A link goes down; its outage has a number of its own.
  void begin_outage(std::int32_t link, std::int32_t number);
  /// A message has waited for a link in that link's latest outage.
  [[nodiscard]] DelayId add_outage(DelayId before, std::int32_t link, double seconds) {
    return add(before, count() + (outages_.empty() ? 0 : outages_[static_cast<std::size_t>(link)]), seconds);
  }
  /// While `link` held up a message, flows of these entries of other traffic shared it (a bit for each of the first
  /// 64).
  [[nodiscard]] DelayId add_traffic(DelayId before, std::int32_t link, std::uint64_t entries);
  /// From now on, paths note what these changes cost them.
  void watch(std::span<const PlatformChange> changes);
  [[nodiscard]] bool watches() const { return watches_; }
  [[nodiscard]] bool watches_bandwidths() const { return !in_force_[bandwidths].empty(); }
  /// A change of a link's bandwidth or latency comes into force.
  void begin_change(const PlatformChange& change) {
    in_force_[change.what == What::latency ? latencies : bandwidths][static_cast<std::size_t>(change.target)] =
        change.entry;
  }
  /// A change has made a path longer by `seconds`, or shorter if they are below 0. `entry`: PlatformChange::entry.
  [[nodiscard]] DelayId add_cost(DelayId before, What what, std::int32_t target, std::int32_t entry, double seconds);
  /// The same for the change that is in force of a link's bandwidth or latency.
  [[nodiscard]] DelayId add_cost(DelayId before, What what, std::int32_t link, double seconds) {
    const std::vector<std::int32_t>& of = in_force_[what == What::latency ? latencies : bandwidths];
    return add_cost(before, what, link, of.empty() ? -1 : of[static_cast<std::size_t>(link)], seconds);
  }
  /// Returns a link's bandwidth or latency without changes.
  [[nodiscard]] double own_bandwidth(std::int32_t link) const { return own(link).bandwidth; }
  [[nodiscard]] double own_latency(std::int32_t link) const { return own(link).latency; }
  /// Returns a path like the one up to `before`, and with all delays up to `last` behind it.
  [[nodiscard]] DelayId append(DelayId before, DelayId last) {
    for (DelayId d = last; d != 0; d = all_[d].before) before = add(before, all_[d].link, all_[d].seconds);
    return before;
  }
  /// Returns a path like the one up to `last`, with the links' delays after `from` scaled by `factor`.
  [[nodiscard]] DelayId scaled(DelayId last, DelayId from, double factor);
  /// Returns a number that both directions of equally built links share. Of links that hold up a message together, only
  /// the first of each kind and current bandwidth is named.
  [[nodiscard]] std::int32_t kind(std::int32_t link);

  [[nodiscard]] std::size_t size() const { return all_.size() - 1; }
  [[nodiscard]] bool full() const { return all_.size() > limit_; }
  /// `paths`: all paths that results may still need; each then names its delays by new numbers.
  void compact(std::span<DelayId* const> paths);
  /// Returns a path's delays, one sum for each link that held up messages, in the order of the links.
  [[nodiscard]] std::vector<LinkDelay> links_on(DelayId last) const;
  /// What the path up to `last` has that the one up to `from` lacks; seconds below 0 for what it lacks itself.
  struct Events {
    std::vector<ChangeCost> costs{};
    std::vector<LinkDelay> outages{}; ///< `link` is the outage's number
    std::uint64_t traffic = 0;        ///< entries, only of the path up to `last`
  };
  [[nodiscard]] Events events(DelayId from, DelayId last) const;
  /// Sums up each link's delays after `from` on a path without outages up to `last`, in the order of the links. `from`
  /// must still be named. Returns the number of delays.
  std::size_t between(DelayId from, DelayId last, std::vector<LinkDelay>& found) const;

private:
  struct Delay {
    DelayId before = 0;
    std::int32_t link = 0;
    double seconds = 0;
  };
  static constexpr std::size_t few = 1 << 13; ///< this many fit a processor's own cache

  /// What a number behind those of the links stands for.
  struct Note {
    enum class Kind : std::uint8_t { outage, traffic, cost } kind = Kind::outage;
    What what{};               ///< of a change
    std::int32_t target = 0;   ///< an outage's number, the link of other traffic, or the target of a change
    std::int32_t entry = 0;    ///< of a change
    std::uint64_t traffic = 0; ///< entries
    friend bool operator==(const Note&, const Note&) = default;
  };
  std::int32_t note(const Note& note) {
    notes_.push_back(note);
    return static_cast<std::int32_t>(notes_.size() - 1);
  }
  [[nodiscard]] const DirectedLink& own(std::int32_t link) const {
    const auto l = static_cast<std::size_t>(link);
    return l < links_.size() ? links_[l] : stages_[l - links_.size()];
  }

  /// Numbers from here on stand for notes.
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(links_.size() + stages_.size()); }
  [[nodiscard]] std::vector<LinkDelay> sums(DelayId last) const;

  std::span<const DirectedLink> links_, stages_;
  std::vector<Delay> all_; ///< each after the one before; the first entry means none
  std::size_t limit_ = few;
  std::vector<std::int32_t> kinds_;   ///< of each link, computed at the first request
  std::vector<Note> notes_;           ///< the first: an outage with number 0
  std::vector<std::int32_t> outages_; ///< of each link: the note of its latest outage; empty: none went down
  bool watches_ = false;
  static constexpr std::size_t bandwidths = 0, latencies = 1;
  /// Of each link: the entry of the change that is in force, below 0 if none is; empty: none ever changes.
  std::array<std::vector<std::int32_t>, 2> in_force_;
  std::map<std::tuple<What, std::int32_t, std::int32_t>, std::int32_t> costs_; ///< notes
  std::map<std::pair<std::int32_t, std::uint64_t>, std::int32_t> traffic_;     ///< notes
};

} // namespace gradflight
