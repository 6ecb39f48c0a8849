// Steps of an exchange: post the message, wait for the peer's, wait until one's own has arrived. What a rank does to
// the data in between is in executor_work.cpp.
#include "sim/engine/executor.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight {

namespace {
constexpr std::size_t at(Part part) { return static_cast<std::size_t>(part); }
} // namespace

int Executor::receiver_place(const Message& m) const { return place_of(streams_[m.to_stream].rank); }

bool Executor::begin_step(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const StepOp& op = stream.step();
  if (op.lag > 0) {
    const auto slots = static_cast<std::size_t>(op.lag) + 1;
    if (stream.lags.size() != slots || op.step == 0) stream.lags.assign(slots, {});
    // The slot still holds the reduction of step - lag - 1, which this step builds on.
    const Lag& earlier = stream.lags[static_cast<std::size_t>(op.step) % slots];
    if (earlier.end > now) {
      stream.path = earlier.path;
      stream.stage = Stage::lagging;
      calendar_.add(earlier.end, {EventKind::stream, s});
      return false;
    }
  }
  return encode(s, now);
}

/// Sends, and waits for the message to receive. True when the whole step is over at once.
bool Executor::transfer(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  stream.expecting = false;
  if (messaging_ && stream.step().transfer.from != nobody) launch_offered(s, now);
  if (stream.step().transfer.to != nobody) post(s, now);
  if (stream.step().transfer.from == nobody) return sent(s);
  if (stream.expecting) return false;
  stream.stage = Stage::receiving;
  if (!take_from_inbox(s, now)) return false;
  return combine(s, now);
}

/// True unless the step has to wait for its own messages to arrive.
bool Executor::sent(std::uint32_t s) {
  Stream& stream = streams_[s];
  if (!stream.step().transfer.wait_sent || stream.unsent == 0) return true;
  stream.stage = Stage::sending;
  return false;
}

void Executor::find_route(Stream& stream, int to_place) {
  const int from_place = place_of(stream.rank);
  platform_.route(from_place, to_place, stream.route);
  stream.route_to = to_place;
  stream.route_alpha = platform_.message_overhead();
  stream.route_bandwidth = Calendar::never;
  for (const std::int32_t l : stream.route) {
    const DirectedLink& link = platform_.links()[static_cast<std::size_t>(l)];
    stream.route_alpha += link.latency;
    stream.route_bandwidth = std::min(stream.route_bandwidth, link.bandwidth);
  }
  if (messaging_) find_way_back(stream, to_place);
}

void Executor::post(std::uint32_t s, double now) {
  const MessageId id = messages_.make();
  Stream& stream = streams_[s];
  const StepOp& op = stream.step();
  const int to_place = place_of(op.transfer.to);
  Message& m = messages_[id];
  m.from_stream = s;
  m.to_stream = static_cast<std::uint32_t>(op.transfer.to * streams_per_rank_ + stream.index);
  m.from = stream.rank;
  m.tag = op.tag;
  m.first = op.transfer.out.first;
  m.posted = now;
  m.path = stream.path;
  m.bucket = op.bucket;
  m.step = op.step;
  m.iteration = op.iteration;
  m.next = no_message;
  m.slowing = 1;
  m.offered = m.flowing = false;
  ++stream.unsent;
  const bool own_place = to_place == place_of(stream.rank);
  if (!own_place && stream.route_to != to_place) find_route(stream, to_place);
  const double encoded = data_ ? data_->send(op, stream.rank, id) : job_->weights.encoded(op);
  job_->weigh(op, stream.rank, encoded, stream.route_bandwidth, weight_);
  m.payload = weight_.payload;
  m.wire = weight_.wire;
  if (placed_ || messaging_) m.shares.clear();
  if (placed_) {
    m.fill = m.tail = m.engine = 0;
    m.decode = weight_.decode_seconds;
  }
  if (own_place) { // free, and not counted
    m.links.clear();
    deliver(id, now);
    return;
  }
  m.links = stream.route;
  m.alpha = stream.route_alpha;
  m.bandwidth = stream.route_bandwidth;
  if (weight_.through_nics) {
    m.fill = weight_.fill;
    m.tail = weight_.tail;
    m.engine = weight_.engine;
    const auto from = static_cast<std::size_t>(stream.rank), to = static_cast<std::size_t>(op.transfer.to);
    nics_.lay(m, weight_, job_->node[from], job_->node[to]);
  }
  bool buffered = op.transfer.buffered;
  if (messaging_) {
    // In an exchange with one peer, acknowledgements ride on the data that flow the other way.
    if (op.transfer.from != op.transfer.to)
      m.shares.insert(m.shares.end(), stream.route_back.begin(), stream.route_back.end());
    m.behind = m.links.empty() ? 0 : messaging_->behind(m.wire);
    m.credit = 0;
    buffered = m.links.empty() || messaging_->eager(m);
  }
  Stream& receiver = streams_[m.to_stream];
  const bool met = receiver.stage == Stage::receiving && !receiver.expecting && matches(receiver.step(), m);
  if (buffered || met) {
    launch(id, now);
    return;
  }
  m.offered = true;
  put_in_inbox(receiver, id);
}

/// Both sides are there, or the receiver need not be: the message sets out, under a protocol once it may.
void Executor::launch(MessageId id, double now) {
  Message& m = messages_[id];
  m.launched = m.begun = now;
  Stream& receiver = streams_[m.to_stream];
  if (receiver.stage == Stage::receiving && matches(receiver.step(), m)) receiver.expecting = true;
  accounts_.message_posted(m.payload, m.wire, now);
  if (options_.progress && (accounts_.messages & 0xffff) == 0) options_.progress(now, accounts_.messages);
  if (beside_compute_ > 1 && (computing_until_[static_cast<std::size_t>(m.from)] > now ||
                              computing_until_[static_cast<std::size_t>(receiver.rank)] > now))
    m.slowing = beside_compute_;
  if (messaging_ && !cleared(id, now)) return;
  set_out(id, m.alpha * m.slowing + (placed_ ? m.fill : 0), now);
}

/// After `ahead` seconds, the message's bytes flow.
void Executor::set_out(MessageId id, double ahead, double now) {
  if (ahead > 0) {
    calendar_.add(now + ahead, {EventKind::message_begin, id});
  } else if (messages_[id].wire > 0 && !messages_[id].links.empty()) {
    network_->begin(id, now);
  } else {
    arrived(id, now);
  }
}

/// Of all that its sender has sent, this message has left, too.
void Executor::sender_done(const Message& m, const Path& path) {
  Stream& sender = streams_[m.from_stream];
  if (--sender.unsent > 0 || sender.stage != Stage::sending) return;
  sender.path = path;
  ready_.push_back(m.from_stream);
}

/// The last byte is off the links; a compressing NIC still has it for a moment.
void Executor::arrived(MessageId id, double now) {
  if (over_) return;
  const double tail = placed_ ? messages_[id].tail : 0;
  if (tail > 0)
    calendar_.add(now + tail, {EventKind::message_there, id});
  else
    there(id, now);
}

/// The last byte is there: the time since it set out is alpha, beta, the NIC's and, beyond, what sharing links has
/// cost.
void Executor::there(MessageId id, double now) {
  Message& m = messages_[id];
  if (over_) return;
  accounts_.message_arrived(m.wire, now);
  const double beta = m.links.empty() ? 0 : std::max(0.0, m.wire - m.credit) / m.bandwidth;
  const double interference = (m.slowing - 1) * (m.alpha + beta + (placed_ ? m.engine : 0));
  double contention = (now - m.launched) - m.alpha - beta - interference;
  if (placed_) {
    contention -= m.fill + m.tail + m.engine;
    m.path[at(Part::nic_pipeline)] += m.fill + m.tail;
    m.path[at(Part::nic_engine)] += m.engine;
  }
  if (std::abs(contention) < 1e-9 * (now - m.launched)) contention = 0;
  m.path[at(Part::alpha)] += m.alpha;
  m.path[at(Part::beta)] += beta;
  m.path[at(Part::contention)] += contention;
  m.path[at(Part::interference)] += interference;
  record(m, now);
  if (messaging_) resume_blocked(id, now);
  deliver(id, now);
}

void Executor::deliver(MessageId id, double) {
  const Message& m = messages_[id];
  if (m.links.empty() || m.behind <= 0) sender_done(m, m.path);
  Stream& receiver = streams_[m.to_stream];
  if (receiver.stage == Stage::receiving && matches(receiver.step(), m)) {
    receiver.path = m.path;
    take(m.to_stream, id);
    receiver.stage = Stage::taken;
    ready_.push_back(m.to_stream);
    return;
  }
  put_in_inbox(receiver, id);
}

void Executor::put_in_inbox(Stream& receiver, MessageId id) {
  if (receiver.inbox_last == no_message)
    receiver.inbox = id;
  else
    messages_[receiver.inbox_last].next = id;
  receiver.inbox_last = id;
}

bool Executor::matches(const StepOp& op, const Message& m) {
  // The range tells apart what one sender sends in one exchange: shards of several servers down their trees.
  return (op.transfer.from == anyone || op.transfer.from == m.from) &&
         (op.tag == any_tag || (op.tag == m.tag && op.transfer.in.first == m.first));
}

/// True if a matching message has already arrived. One that is only offered sets out now; the step awaits it.
bool Executor::take_from_inbox(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  MessageId previous = no_message;
  for (MessageId id = stream.inbox; id != no_message; previous = id, id = messages_[id].next) {
    Message& m = messages_[id];
    if (!matches(stream.step(), m)) continue;
    (previous == no_message ? stream.inbox : messages_[previous].next) = m.next;
    if (m.next == no_message) stream.inbox_last = previous;
    m.next = no_message;
    if (!m.offered) {
      take(s, id);
      return true;
    }
    m.offered = false;
    if (now > m.posted) m.path = stream.path; // it was the receiver that was late
    launch(id, now);
    return false;
  }
  return false;
}

void Executor::take(std::uint32_t s, MessageId id) {
  Stream& stream = streams_[s];
  const Message& m = messages_[id];
  stream.last_sender = m.from_stream;
  StepOp& op = stream.step();
  if (op.tag == any_tag) { // what is done with it now belongs to its exchange
    op.bucket = m.bucket;
    op.iteration = m.iteration;
  }
  if (data_) data_->receive(op, stream.rank, id);
  if (placed_) stream.decode_seconds = m.decode;
  stream.program->received(m.from, m.tag);
  messages_.release(id);
}

} // namespace gradflight
