// What each link carries and has carried; the same bookkeeping for both engines.
#pragma once

#include "sim/engine/network.hpp"

namespace gradflight {

class LinkLedger {
public:
  explicit LinkLedger(std::size_t links) : use_(links) {}

  void enter(const Route& links, double now) {
    for (const std::int32_t l : links) {
      LinkUse& use = use_[static_cast<std::size_t>(l)];
      if (use.transfers++ == 0) use.since = now;
    }
  }
  void leave(const Route& links, double bytes, double now) {
    for (const std::int32_t l : links) {
      LinkUse& use = use_[static_cast<std::size_t>(l)];
      use.bytes += bytes;
      if (--use.transfers == 0) use.busy += now - use.since;
    }
  }
  /// Transfers that were worked out together, one after another on these links.
  void carried(const Route& links, double bytes, double busy) {
    for (const std::int32_t l : links) {
      use_[static_cast<std::size_t>(l)].bytes += bytes;
      use_[static_cast<std::size_t>(l)].busy += busy;
    }
  }
  [[nodiscard]] const std::vector<LinkUse>& use() const { return use_; }

private:
  std::vector<LinkUse> use_;
};

} // namespace gradflight
