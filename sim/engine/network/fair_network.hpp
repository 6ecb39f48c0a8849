// The hybrid engine's network: a transfer alone on its route is scheduled directly; transfers that meet on a link share
// it max-min fairly with equal shares.
//
// When flows begin or end, shares are solved again for the flows of the changed links, while all other flows keep their
// rates. That is right if each of the others still has its bottleneck: a fully used link on which no flow has a larger
// rate. If this no longer holds for the other flows of a link, the link joins the part with all of its flows, and the
// part is solved again. Rates are max-min if and only if every flow has a bottleneck, so the result equals a solution
// of the whole network. In a tree of thousands of ranks, a change costs only what it affects.
//
// A message may load further links with a weight (MessageExtra::shares): max-min on the flows' own rates over sum of
// weight * rate <= capacity, as in tests/oracles/weighted_max_min.hpp, which tests compare this with.
//
// A message may have a cap (MessageExtra::cap): it takes no more, even if its links would give it more.
//
// Source of the sharing rule: progressive filling (Bertsekas & Gallager, Data Networks, 6.5.2); docs/model.md.
#pragma once

#include "sim/engine/calendar/calendar.hpp"
#include "sim/engine/network/least_share.hpp"
#include "sim/engine/network/link_ledger.hpp"
#include "sim/engine/network/link_state.hpp"

#include <boost/container/small_vector.hpp>
#include <span>

namespace gradflight {

class FairNetwork final : public Network {
public:
  /// `state`: of every link that messages name.
  FairNetwork(const LinkState& state, Calendar& calendar, MessagePool& messages, LinkLedger& ledger, Delays& delays,
              ArrivalSink& sink);
  /// A token bucket: after enough idle time, a link lets this many bytes of a message that comes alone pass at once.
  void set_burst(std::int32_t link, double bytes);
  void begin(MessageId id, double now) override;
  void end(MessageId id, double now) override;
  [[nodiscard]] double carried(MessageId id, double now) const override;
  [[nodiscard]] double lost_to_traffic(MessageId id) const override {
    return any_beside_ && id < beside_.size() ? beside_[id].seconds : 0;
  }
  double cut(MessageId id, double now) override;
  void messages_on(std::int32_t link, std::vector<MessageId>& out) const override;
  [[nodiscard]] bool forgets() const override { return buckets_.empty(); }
  void prefetch(MessageId id) const override;
  [[nodiscard]] const FullLink& full_link() const override { return full_link_; }
  void add_kept_delays(std::vector<DelayId*>& paths) override;
  void tell_holders() override { tells_holders_ = true; }
  void changing(std::int32_t link, double now) override;
  void settle(double now) override;

private:
  /// Fits a cache line: solving walks over many links.
  struct alignas(64) Link {
    boost::container::small_vector<MessageId, 2> flows;
    std::uint64_t visit = 0;
    double left = 0;          ///< while solving: capacity not yet assigned; once none is left: minus its largest share
    std::uint32_t open = 0;   ///< while solving: flows without a rate
    std::uint32_t within = 0; ///< while solving: flows in the part
    std::uint32_t shares = 0; ///< number of flows with a weight of their own
    bool dirty = false;
    [[nodiscard]] bool has_others() const { return within < flows.size(); } ///< these keep their rates
  };

  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  /// Relative tolerance for sums of rates in another order; more than enough.
  static constexpr double rounding = 1e-9;

  struct Rate {
    double rate;
    std::int32_t fixed_by; ///< the link that fixed it
  };
  /// Like Message::bottleneck and tied.
  struct MessageLimit {
    std::int32_t by;
    std::uint32_t tied;
  };

  /// Credit grows at the link's capacity while the link is idle, up to `burst`.
  struct Bucket {
    double burst = 0, credit = 0, idle_since = 0; ///< bytes, bytes, seconds
    std::uint32_t flows = 0;                      ///< messages with a route through it
  };

  struct Queue;

  Link& at(std::int32_t link) { return links_[static_cast<std::size_t>(link)]; }
  static std::int32_t link_of(const Message& m, std::span<const LinkShare> shares, std::size_t k);
  static double next_mark(const MessageExtra& extra, double left);
  bool reach_buckets(const Message& m, double now);
  void leave_buckets(const Message& m, double now);
  double take_credit(const Message& m);
  /// Links that hold a message up and have other traffic, and its entries: a bit for each of the first 64.
  using TrafficOnLinks = boost::container::small_vector<std::pair<std::int32_t, std::uint64_t>, 2>;
  /// For a message, where other traffic shares links.
  struct Beside {
    double share = 0;         ///< other traffic's part of the rates that others have on its bottleneck
    double seconds = 0;       ///< what other traffic has cost it
    TrafficOnLinks traffic{}; ///< if `share` > 0
  };
  Beside& beside(MessageId id) {
    if (beside_.size() <= id) beside_.resize(id + 1);
    return beside_[id];
  }
  void add_up_rates();
  [[nodiscard]] double share_of_other_traffic(MessageId id, const MessageLimit& held, double rate) const;
  [[nodiscard]] TrafficOnLinks other_traffic(MessageId id, const MessageLimit& held) const;
  [[nodiscard]] double rate_alone(MessageId id) const;
  [[nodiscard]] double cap(MessageId id) const { return messages_[id].extra ? messages_.extra(id).cap : unbounded; }
  void tell(MessageId id, double remaining, double now);
  std::uint32_t tell_shared(MessageId id, double time, double lost);
  void note_costs(MessageId id, double seconds, double bytes);
  void note_meeting(std::int32_t link, MessageId id);
  bool ends_with(std::int32_t link, Queue& queue, double now) const;
  [[nodiscard]] double cost_of_changes(std::int32_t link, double seconds) const;
  bool end_queues(const Message& m, std::span<const LinkShare> shares, double now);
  void meet(std::int32_t link);
  void mark(std::int32_t link);
  void leave(MessageId id, double now);
  static double end_at_rate(const Message& m, double now);
  void add_end(MessageId id);
  /// The link that reschedules a flow's end when it changes. Only the first ends among its flows have events.
  [[nodiscard]] static std::int32_t owner(const Message& m) {
    return m.bottleneck == no_link ? m.links.front() : m.bottleneck;
  }
  void reach(std::int32_t link);
  void add(MessageId id);
  void add_flows_of(std::int32_t link);
  void add_changed_links(bool whole);
  [[nodiscard]] static bool is_bottleneck_of(std::int32_t link, const Message& m);
  [[nodiscard]] bool changes_outside(std::int32_t link) const;
  bool widen(bool whole);
  void subtract_others(std::int32_t link);
  bool is_exhausted(std::int32_t link, double share);
  [[nodiscard]] double open_share(std::int32_t link) const;
  void give(MessageId id, double share, std::size_t& full);
  void rank_links();
  [[nodiscard]] std::int32_t tightest_link() const;
  [[nodiscard]] MessageLimit message_limit(MessageId id, double rate);
  void fill();
  void take_rates(double now);
  void add_first_ends();

  const LinkState& state_;
  Calendar& calendar_;
  MessagePool& messages_;
  LinkLedger& ledger_;
  Delays& delays_;
  ArrivalSink& sink_;
  std::vector<Link> links_;
  std::vector<Bucket> buckets_; ///< of the first links; empty if no link has a burst
  bool any_shares_ = false;     ///< some message had a share; false skips the search
  bool any_caps_ = false;       ///< some message had a cap; false skips the search
  bool any_beside_ = false;     ///< other traffic existed; false skips the search
  bool tells_holders_ = false;  ///< tell_holders() was called
  /// Messages that have followed one another on a link since one of them met the first.
  struct Queue {
    double bytes = 0;
    double carried = 0;     ///< bytes that the full link has carried up to the last change of its bandwidth, ...
    double since = 0;       ///< ... which was then (s); the first byte, if it has not changed
    std::uint32_t plan = 0; ///< of the first message
    bool plain = true;      ///< nothing but links held them up, and the first message had its narrowest link alone
    bool active = false;    ///< false: free
    bool ends = false;      ///< at `looked_at`, no message of it has bytes left
    double looked_at = -1;  ///< the latest instant at which one of its messages, but not the last one, left
    std::uint32_t next_free = 0;
    FullLink first{};
  };
  std::vector<Queue> queues_;           ///< the first one is none; with free ones
  std::uint32_t free_queue_ = 0;        ///< 0: none
  std::vector<std::uint32_t> queue_of_; ///< of each link; 0: none. Empty until messages meet
  FullLink full_link_{};
  std::vector<Beside> beside_; ///< of each message
  struct Rates {
    double all = 0, beside = 0;
    std::uint64_t entries = 0;
  };
  std::vector<Rates> rates_;   ///< while solving, of each link: bytes per second of all its flows, and of other traffic
  std::vector<double> demand_; ///< while solving, of links with shares: summed weights of the flows without a rate
  std::vector<std::int32_t> dirty_;
  std::uint64_t visit_ = 0;
  std::vector<std::int32_t> part_links_; ///< the part being solved
  std::vector<MessageId> part_flows_;
  std::vector<Rate> part_rates_;
  bool ranked_ = false;                  ///< least_share_ has the shares of the part's links
  LeastShare least_share_;               ///< open_share() of each link of the part
  std::vector<std::uint32_t> positions_; ///< of each link in the part
  bool alone_ = true;                    ///< no link of the part has flows outside it
  bool one_each_ = false;                ///< each flow of the part is held up by only the link that fixed its rate
  std::vector<MessageId> part_caps_;     ///< flows of the part with a cap, the lowest first
  std::vector<double> others_;     ///< while solving, of each link with flows outside the part: their largest rate
  std::vector<double> first_ends_; ///< while solving, of each link
};

} // namespace gradflight
