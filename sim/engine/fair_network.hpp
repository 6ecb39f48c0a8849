// The hybrid engine's network: a transfer alone on its route is scheduled directly; transfers that meet on a link share
// it max-min fairly with equal shares, solved anew for the connected part of the network in which something changed.
//
// Source of the sharing rule: progressive filling (Bertsekas & Gallager, Data Networks, 6.5.2); DESIGN.md 4.
#pragma once

#include "sim/engine/calendar.hpp"
#include "sim/engine/link_ledger.hpp"

namespace gradflight {

class FairNetwork final : public Network {
public:
  FairNetwork(const Platform& platform, Calendar& calendar, MessagePool& messages, LinkLedger& ledger,
              ArrivalSink& sink);
  void begin(MessageId id, double now) override;
  void end(MessageId id, double now) override;
  void settle(double now) override;

private:
  struct Link {
    double capacity = 0; ///< bytes per second
    std::vector<MessageId> flows;
    bool dirty = false;
    std::uint64_t visit = 0;
    double left = 0;        ///< while solving: capacity not yet given out
    std::uint32_t open = 0; ///< while solving: flows without a rate
  };

  void mark(std::int32_t link);
  void leave(MessageId id);
  void collect(std::int32_t from);
  void solve(double now);

  Calendar& calendar_;
  MessagePool& messages_;
  LinkLedger& ledger_;
  ArrivalSink& sink_;
  std::vector<Link> links_;
  std::vector<std::int32_t> dirty_;
  std::uint64_t visit_ = 0;
  std::vector<std::int32_t> part_links_; ///< the connected part being solved
  std::vector<MessageId> part_flows_;
  std::vector<double> part_rates_;
};

} // namespace gradflight
