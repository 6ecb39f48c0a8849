// What each link carries and has carried; the same bookkeeping for both engines.
#pragma once

#include "sim/engine/network.hpp"
#include "sim/timeline.hpp"

namespace gradflight {

class LinkLedger {
public:
  LinkLedger(std::size_t links, Timeline* timeline) : use_(links), timeline_(timeline) {}

  void enter(const Route& links, double now) {
    for (const std::int32_t l : links) {
      LinkUse& use = use_[static_cast<std::size_t>(l)];
      if (use.transfers++ == 0) use.since = now;
      if (timeline_ != nullptr) record(l, now, use.transfers);
    }
  }
  void leave(const Route& links, double bytes, double now) {
    for (const std::int32_t l : links) {
      LinkUse& use = use_[static_cast<std::size_t>(l)];
      use.bytes += bytes;
      if (--use.transfers == 0) use.busy += now - use.since;
      if (timeline_ != nullptr) record(l, now, use.transfers);
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
  void record(std::int32_t link, double now, std::int32_t transfers) {
    if (timeline_->links.size() >= timeline_->limit) timeline_->truncated = true;
    else timeline_->links.push_back({link, now, transfers});
  }
  std::vector<LinkUse> use_;
  Timeline* timeline_;
};

} // namespace gradflight
