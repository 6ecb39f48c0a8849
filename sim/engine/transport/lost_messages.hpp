// What happens to messages when their links go down, if they do not wait on them (RecoveryPolicy::resend, reroute).
//
// A message loses what it has carried when a link of its route goes down. Its senders learn of it `detection` after a
// link went down. Then, or as soon as a route is up, the message starts again: alpha and all of its bytes. Without
// rerouting it keeps its route. With rerouting, messages take the route of least latency around links known to be down,
// and their own route again once that is up. Other traffic waits on its links.
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

  /// A link comes up or goes down at `now`.
  void set(std::int32_t link, bool up, double now);
  /// Updates which links are known to be down at `now`.
  void notice(double now);
  /// Latencies of links have changed.
  void forget_latencies();
  /// Grows with each change of that knowledge: routes found earlier may no longer be right.
  [[nodiscard]] std::uint64_t knowledge() const { return knowledge_; }

  enum class Way : std::uint8_t { none, own, detour };
  /// Finds the route that a message takes now, by place `by` (-1: directly) and these NICs. Way::none: `out` is its own
  /// route, on which a link is down.
  Way find(int from, int by, int to, NicPair nics, Route& out);
  /// Seconds on this route from a message's start to its first byte.
  [[nodiscard]] double alpha(const Route& route) const;
  /// Whether some link of a route is down.
  template <class Links> [[nodiscard]] bool broken(const Links& route) const {
    if (down_ == 0) return false;
    for (const std::int32_t link : route)
      if (!machine_.links.up(link)) return true;
    return false;
  }

  /// What the transport needs to send a message again.
  struct Posted {
    int by = -1; ///< place that it goes by; -1: directly
    NicPair nics{};
    double further = 0;    ///< alpha in addition to its route's
    DelayId delay = 0;     ///< last delay of its path before any byte was on its links
    double not_before = 0; ///< while it has no route: when its sender knows
  };
  Posted& posted(MessageId id);

  /// Returns when senders know of all links that are down on a route; no earlier than `now`.
  template <class Links> [[nodiscard]] double known(const Links& route, double now) const {
    double latest = now;
    for (const std::int32_t link : route)
      if (!machine_.links.up(link)) latest = std::max(latest, known_at_[static_cast<std::size_t>(link)]);
    return latest;
  }
  /// A message has no route; try again from `not_before` on.
  void strand(MessageId id, double not_before) {
    posted(id).not_before = not_before;
    stranded_.push_back(id);
  }
  /// Hands over all messages without a route.
  std::vector<MessageId> take_stranded() { return std::exchange(stranded_, {}); }
  /// All messages without a route.
  [[nodiscard]] const std::vector<MessageId>& stranded() const { return stranded_; }
  /// Number of messages without a route although their senders know all.
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
  std::vector<std::int32_t> pending_; ///< links that are down without anybody's knowledge yet
  std::int64_t down_ = 0;
  std::uint64_t knowledge_ = 0;
  bool changed_ = false; ///< a link known to be down has come up since the last notice()
  std::optional<Detours> detours_;
  std::vector<Posted> posted_; ///< of each message
  std::vector<MessageId> stranded_;
  Route leg_;
};

} // namespace gradflight
