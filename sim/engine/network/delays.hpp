// For critical paths: which links have held up their messages or were down, and for how long. Also what other traffic
// shared these links, and how long the targets of changes have held up the path.
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
  /// From now on, paths note how long the targets of these changes hold them up.
  void watch(std::span<const PlatformChange> changes);
  [[nodiscard]] bool watches() const { return watches_; }
  [[nodiscard]] bool watches(What what) const { return !watched_[static_cast<std::size_t>(what)].empty(); }
  [[nodiscard]] bool watches(What what, std::int32_t target) const { return note_of(what, target) != 0; }
  /// A target has held up a path for `seconds`. Returns `before` if no change has this target.
  [[nodiscard]] DelayId add_use(DelayId before, What what, std::int32_t target, double seconds) {
    const std::int32_t note = note_of(what, target);
    return note != 0 && seconds > 0 ? add(before, count() + note, seconds) : before;
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
  /// Returns a path's outage delays, one sum for each outage; `link` is the outage's number.
  [[nodiscard]] std::vector<LinkDelay> outages_on(DelayId last) const;
  /// Returns how long the targets of changes have held up a path.
  [[nodiscard]] std::vector<ChangeUse> uses_on(DelayId last) const;
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
    enum class Kind : std::uint8_t { outage, traffic, use } kind = Kind::outage;
    What what{};               ///< of a use
    std::int32_t target = 0;   ///< an outage's number, the link of other traffic, or the target of a change
    std::uint64_t traffic = 0; ///< entries
    friend bool operator==(const Note&, const Note&) = default;
  };
  std::int32_t note(const Note& note) {
    notes_.push_back(note);
    return static_cast<std::int32_t>(notes_.size() - 1);
  }
  [[nodiscard]] std::int32_t note_of(What what, std::int32_t target) const {
    const std::vector<std::int32_t>& of = watched_[static_cast<std::size_t>(what)];
    return static_cast<std::size_t>(target) < of.size() ? of[static_cast<std::size_t>(target)] : 0;
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
  std::array<std::vector<std::int32_t>, 5> watched_; ///< of each kind, the note of each target; 0: it never changes
  std::map<std::pair<std::int32_t, std::uint64_t>, std::int32_t> traffic_; ///< notes
};

} // namespace gradflight
