// Messages from step to step: a sender posts a message, it is launched when both sides are ready, crosses the network,
// and reaches the receiver or its inbox. Knows only what streams send and await; ExchangeSteps does the rest.
#pragma once

#include "platforms/code/changes.hpp"
#include "sim/engine/calendar/calendar.hpp"
#include "sim/engine/changes/outage_log.hpp"
#include "sim/engine/network/machine.hpp"
#include "sim/engine/network/messaging.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/streams/rank_work.hpp"
#include "sim/engine/transport/background.hpp"
#include "sim/engine/transport/credits.hpp"
#include "sim/engine/transport/lost_messages.hpp"

#include <algorithm>
#include <functional>

namespace gradflight {

class Transport final : public ArrivalSink {
public:
  Transport(Machine& machine, Calendar& calendar, Streams& streams, Tracks& tracks, const RankWork& rank_work,
            Recorder& recorder, const Progress& progress);

  void use(Network& network) {
    network_ = &network;
    if (links_change_) network.tell_holders();
  }
  Network& network() { return *network_; }
  [[nodiscard]] const Network& network() const { return *network_; }
  MessagePool& messages() { return messages_; }
  [[nodiscard]] const MessagePool& messages() const { return messages_; }
  [[nodiscard]] bool protocol() const { return messaging_.has_value(); }

  /// A stream sends the message of the step it is at.
  void post(std::uint32_t s, double now);
  /// The stream awaits its step's message. Returns true if it has already arrived; then the stream takes it. A message
  /// that is only offered sets out now.
  bool receive(std::uint32_t s, double now);
  /// Under a protocol: answers an announcement that has already come before the rank sends its own.
  void answer_offered(std::uint32_t s, double now);
  /// Discards the messages in the inboxes of a plan's streams.
  void discard_inboxes(const Track& track);

  /// No message exists and no credit is under way: time continues from 0.
  void restart_clock() {
    credits_.forget_times();
    last_credit_ = 0;
  }
  /// When a sender learns of the last credit (s); 0: no credit so far.
  [[nodiscard]] double last_credit() const { return last_credit_; }
  /// Calls that are not simulated end with this credit.
  void note_credit(double known) { last_credit_ = std::max(last_credit_, known); }

  /// Sets the receiver of flows of other traffic that have left their links.
  void set_flow_receiver(BackgroundFlows& background) {
    background_ = &background;
    beside_ = background.any();
  }
  /// Returns the protocol's weight of acknowledgements; 0 without a protocol.
  [[nodiscard]] double acknowledgement_weight() const { return messaging_ ? messaging_->acknowledgement_weight() : 0; }

  /// Events of the calendar: the first byte of a message enters its links; all of it has left the NIC.
  void first_byte(MessageId id, double now);
  void there(MessageId id, double now);
  void arrived(MessageId id, double now) override;
  void left(MessageId id, double rest, double now) override;
  void link_changes(MessageId id, double now) override;
  void held_up(MessageId id, std::uint32_t tiers, double seconds) override;

  /// Links will change, so this tracks each message's time alone through the changes. `latencies`: these change, too.
  void watch_links(bool latencies) {
    links_change_ = true;
    latencies_change_ = latencies;
  }

  /// Messages are lost when links go down, and sent again.
  void lose_messages(const LossPolicy& policy) { lost_.emplace(policy, machine_); }
  [[nodiscard]] bool loses() const { return lost_.has_value(); }
  /// Links have gone down or come up, as in `changes`; the machine's links already know.
  void follow_links(std::span<const PlatformChange* const> changes, double now);
  void latencies_changed() {
    if (lost_) lost_->forget_latencies();
  }
  /// Events of the calendar: senders learn of links that went down; a resent message's first byte enters its links.
  void try_again(double now);
  void again(MessageId id, double now);
  /// Number of messages that have no route although their senders know all.
  [[nodiscard]] std::int64_t stranded_for_good(double now) const;
  /// When the last message of a plan stopped that waits for a link now (seconds); 0: none waits.
  [[nodiscard]] double last_stop(const OutageLog& outages) const;
  /// Appends the delays that messages on their links need if they are lost or if their delays are scaled.
  void add_kept_delays(std::vector<DelayId*>& paths);

  [[nodiscard]] std::int32_t sender_place(const Message& m) const;
  [[nodiscard]] std::int32_t receiver_place(const Message& m) const;
  [[nodiscard]] bool abandoned(const Message& m) const { return tracks_.over(m.plan); }

private:
  [[nodiscard]] Track& track_of(const Message& m) const { return tracks_[m.plan]; }
  [[nodiscard]] static bool matches(const StepOp& op, const Message& m);
  [[nodiscard]] static double contention(const Message& m, double now, double rest);
  /// A message's progress if it were alone on its links as they were at each time.
  struct Alone {
    double begun = 0;                    ///< when its first byte entered these links
    double since = 0, left = 0;          ///< bytes, at `since`
    double end = -1;                     ///< below 0: not yet
    double down = 0;                     ///< seconds that it waited for a link of its route that was down, ...
    double down_alone = 0;               ///< ... and of these, seconds between `begun` and `end`
    std::array<double, link_tiers> by{}; ///< seconds that bytes take alone which each tier has held up
    DelayId delay = 0;                   ///< its path's last delay when its bytes entered the links
    double first_begun = 0;              ///< `begun` before the first loss
    std::int32_t missing = no_link;      ///< a link that it waits for, or lost its bytes on
    HeldBy held{};                       ///< its path's when its bytes entered the links, ...
    double protocol = 0;                 ///< ... PathDetails::protocol ...
    double traffic = 0;                  ///< ... and the time lost to other traffic
    /// Seconds in which its bytes would have moved, up to `end` or `since`.
    [[nodiscard]] double seconds() const { return (end >= 0 ? end : since) - begun - down_alone; }
  };
  /// Seconds that a message's bytes take alone on their route, and the tiers of its narrowest links.
  struct Beta {
    double seconds = 0;
    std::uint32_t tiers = 0;
  };
  void note_latencies(Message& m, double route_alpha);
  [[nodiscard]] double rate_alone(MessageId id) const;
  void put_on_links(MessageId id, double now);
  void follow_alone(MessageId id, double now);
  void end_alone(MessageId id, double now);
  [[nodiscard]] Beta beta_of(MessageId id, double bytes) const;
  void add_beta(TracedPath& path, MessageId id, const Beta& beta) const;
  void fit_shared(TracedPath& path, MessageId id, double now);
  [[nodiscard]] double traffic(const TracedPath& path, MessageId id) const;
  [[nodiscard]] double outages_and_traffic(const TracedPath& path, MessageId id) const;
  /// Seconds that it has waited for links that were down.
  [[nodiscard]] double down(MessageId id) const {
    if (!links_change_ || alone_.size() <= id) return 0;
    const Message& m = messages_[id];
    return m.wire > 0 && !m.links.empty() ? alone_[id].down : 0;
  }
  void add_outage(TracedPath& path, MessageId id) const {
    if (links_change_) at(path, Part::outage) += down(id);
  }
  Alone& alone(MessageId id);
  void await_link(MessageId id, std::int32_t link, double now);
  void check_own_way(int from_place, int by_place, int to_place, NicPair nics) const;
  void find_route(Stream& stream, int from_place, int by_place, int to_place, NicPair nics);
  void find_way_back(Stream& stream, int from_place, int to_place);
  void lose(MessageId id, std::int32_t link, double now);
  bool send_again(MessageId id, double now);
  void find_another(MessageId id, double now);
  [[nodiscard]] bool way_is_old(std::uint32_t s) const;
  void find_way(Stream& stream, int from_place, int by_place, int to_place, NicPair nics);
  void note_posted(std::uint32_t s, MessageId id, int by_place, NicPair nics);
  void fill_extra(MessageId id, const Weight& weight, int from_place, int to_place);
  void launch(MessageId id, double now);
  [[nodiscard]] double way_back(const Message& m) const;
  bool credited(MessageId id, double now);
  [[nodiscard]] bool cleared(MessageId id, double now);
  [[nodiscard]] double ahead(MessageId id);
  void set_out(MessageId id, double now);
  void resume_blocked(MessageId id, double now);
  void on_links(MessageId id, double now);
  void release_sender(Stream& sender, MessageId id);
  void flow(MessageId id, double now);
  void make_way(MessageId id, double rest, double now);
  void sender_done(const Message& m, const TracedPath& path);
  void send_next(MessageId id, double now);
  TracedPath path_by(const FullLink& full, double alone, double now);
  void deliver(MessageId id, double now);
  /// Messages that wait for a stream, from one sender, or from all if a stream receives from anyone, in the order of
  /// arrival. A sender may be thousands of messages ahead, so one list for all senders would be slow to search.
  struct Box {
    std::int32_t from = anyone;
    MessageId first = no_message, last = no_message;
    std::uint32_t next = no_box; ///< of the same stream
  };
  /// Returns the link to a stream's box for `from`; no_box if no message from it waits.
  std::uint32_t& box_of(Stream& receiver, std::int32_t from);
  void put_in_inbox(Stream& receiver, MessageId id);
  void take(std::uint32_t s, MessageId id, double now);

  Machine& machine_;
  Calendar& calendar_;
  Streams& streams_;
  Tracks& tracks_;
  const RankWork& rank_work_;
  Recorder& recorder_;
  const Progress& progress_;
  Network* network_ = nullptr;
  BackgroundFlows* background_ = nullptr;
  std::optional<Messaging> messaging_; ///< with a protocol
  std::vector<MessageId> turns_;       ///< messages that may now flow; a member to keep its memory
  MessagePool messages_;
  std::vector<Box> boxes_;
  std::vector<std::uint32_t> free_boxes_;
  bool links_change_ = false, latencies_change_ = false, beside_ = false;
  std::vector<Alone> alone_; ///< of each message; only if links change
  Credits credits_;
  double last_credit_ = 0;
  Weight weight_; ///< of the message being posted
  std::optional<LostMessages> lost_;
  struct Way {
    std::uint64_t knowledge = 0;
    bool detour = false;
  };
  std::vector<Way> ways_; ///< of each stream's route, if messages are rerouted around links that are down
  Route way_;
};

} // namespace gradflight
