// What becomes of messages whose links go down, where they do not wait on them (RecoveryPolicy::resend, reroute).
//
// A message loses what it has carried when a link of its way goes down. So long (`detection`) after a link went down
// its senders know. Then, or as soon as a way is up, the message sets out anew: alpha and all of its bytes. Without
// rerouting its way stays the same one; with it, messages take the way of least latency around what is known to be
// down, and their own again once that is up. What flows beside all plans waits on its links.
#pragma once

#include "platforms/code/detours.hpp"
#include "sim/engine/network/machine.hpp"
#include "sim/engine/network/message.hpp"
#include "sim/engine/streams/engine_options.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace gradflight {

class LostMessages {
public:
  LostMessages(const LossPolicy& policy, const Machine& machine);

  [[nodiscard]] const LossPolicy& policy() const { return policy_; }

  /// A link is up, or down, from `now` on.
  void set(std::int32_t link, bool up, double now);
  /// What is known at `now` of the links that are down.
  void notice(double now);
  /// Links have other latencies.
  void forget_latencies();
  /// Grows with each change of what is known: ways found before may be others now.
  [[nodiscard]] std::uint64_t knowledge() const { return knowledge_; }

  enum class Way : std::uint8_t { none, own, detour };
  /// The way that a message takes now, by place `by` (-1: straight) and these NICs. None: `out` is its own one, of
  /// which a link is down.
  Way find(int from, int by, int to, NicPair nics, Route& out);
  /// Seconds from a message's setting out on this way to its first byte.
  [[nodiscard]] double alpha(const Route& route) const;
  /// Some link of it is down.
  template <class Links> [[nodiscard]] bool broken(const Links& route) const {
    if (down_ == 0) return false;
    for (const std::int32_t link : route)
      if (!machine_.links.up(link)) return true;
    return false;
  }

  /// What a message needs to be sent again.
  struct Posted {
    int by = -1; ///< place that it goes by; -1: straight
    NicPair nics{};
    double further = 0;    ///< alpha beyond its way's
    DelayId delay = 0;     ///< of its path, before any byte was on its links
    double not_before = 0; ///< while it has no way: when its sender knows
  };
  Posted& posted(MessageId id);

  /// When senders know of all that is down on a way; no earlier than `now`.
  template <class Links> [[nodiscard]] double known(const Links& route, double now) const {
    double latest = now;
    for (const std::int32_t link : route)
      if (!machine_.links.up(link)) latest = std::max(latest, known_at_[static_cast<std::size_t>(link)]);
    return latest;
  }
  /// A message has no way, and is to be tried again from `not_before` on.
  void strand(MessageId id, double not_before) {
    posted(id).not_before = not_before;
    stranded_.push_back(id);
  }
  /// Hands over all that have no way.
  std::vector<MessageId> take_stranded() { return std::exchange(stranded_, {}); }
  /// All that have no way.
  [[nodiscard]] const std::vector<MessageId>& stranded() const { return stranded_; }
  /// So many have no way, though all is known.
  [[nodiscard]] std::int64_t stranded_for_good(double now) const;

private:
  static constexpr double up = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool known_down(std::int32_t link) const { return known_[static_cast<std::size_t>(link)]; }
  bool leg(int from, int to, NicPair nics, Route& out, bool around);
  bool usable(const Route& route) const;

  LossPolicy policy_;
  const Machine& machine_;
  std::vector<double> known_at_; ///< of each link: when it is known to be down; infinity: it is up
  std::vector<bool> known_;
  std::vector<std::int32_t> pending_; ///< went down, and nobody knows yet
  std::int64_t down_ = 0;
  std::uint64_t knowledge_ = 0;
  bool changed_ = false; ///< since the last notice(): something came up
  std::optional<Detours> detours_;
  std::vector<Posted> posted_; ///< of each message
  std::vector<MessageId> stranded_;
  Route leg_;
};

} // namespace gradflight
