// What each link carries and has carried; both engines keep the same books. Links beyond the platform's count the bytes
// that messages' shares put on them.
#pragma once

#include "sim/engine/network/network.hpp"

#include <span>

namespace gradflight {

class LinkLedger {
public:
  explicit LinkLedger(std::size_t links) : use_(links) {}

  void enter(const Message& m, double now) {
    for (const std::int32_t l : m.links) enter(l, now);
  }
  void leave(const Message& m, double now) {
    for (const std::int32_t l : m.links) leave(l, m.wire, now);
  }
  void enter(std::span<const LinkShare> shares, double now) {
    for (const LinkShare& share : shares) enter(share.link, now);
  }
  void leave(std::span<const LinkShare> shares, double bytes, double now) {
    for (const LinkShare& share : shares) leave(share.link, share.weight * bytes, now);
  }
  /// Adds transfers that were computed together and followed one another on these links.
  void carried(const Route& links, double bytes, double busy) {
    for (const std::int32_t l : links) carried(l, bytes, busy);
  }
  void carried(std::int32_t link, double bytes, double busy) {
    use_[static_cast<std::size_t>(link)].bytes += bytes;
    use_[static_cast<std::size_t>(link)].busy += busy;
  }
  [[nodiscard]] const std::vector<LinkUse>& use() const { return use_; }

private:
  void enter(std::int32_t link, double now) {
    LinkUse& use = use_[static_cast<std::size_t>(link)];
    if (use.transfers++ == 0) use.since = now;
  }
  void leave(std::int32_t link, double bytes, double now) {
    LinkUse& use = use_[static_cast<std::size_t>(link)];
    use.bytes += bytes;
    if (--use.transfers == 0) use.busy += now - use.since;
  }

  std::vector<LinkUse> use_;
};

} // namespace gradflight
