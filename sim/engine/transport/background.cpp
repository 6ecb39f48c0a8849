#include "sim/engine/transport/background.hpp"

#include "sim/engine/network/messaging.hpp"

#include <algorithm>

namespace gradflight {

namespace {
/// Bytes of a flow that are on its links at a time. An endless flow sends one stretch after another, so that its total
/// keeps its digits. A stretch also fits SimGrid's transfers.
constexpr double stretch = 0x1p36;
} // namespace

BackgroundFlows::BackgroundFlows(std::span<const TrafficSpec> traffic, Machine& machine, Calendar& calendar,
                                 MessagePool& messages, double acknowledged)
    : machine_(machine), calendar_(calendar), messages_(messages), acknowledged_(acknowledged) {
  const int nodes = machine.platform.gpu_places() / machine.platform.gpus_per_node();
  for (std::uint32_t e = 0; e < traffic.size(); ++e) {
    const TrafficSpec& spec = traffic[e];
    TrafficResult result;
    result.name = spec.name;
    entries_.push_back({FlowSource(spec, e, nodes),
                        spec.rate ? spec.rate->value() : std::numeric_limits<double>::infinity(), std::move(result)});
  }
}

void BackgroundFlows::start() {
  for (std::uint32_t e = 0; e < entries_.size(); ++e)
    if (const double first = entries_[e].source.next(); first <= 0)
      begin(e, 0);
    else if (first < FlowSource::never)
      calendar_.add(first, {EventKind::flows_begin, e});
}

void BackgroundFlows::begin(std::uint32_t entry, double now) {
  if (gave_up_) return;
  ++stirs_;
  FlowSource& source = entries_[entry].source;
  while (source.next() == now) {
    flows_.clear();
    source.take(flows_);
    for (const TrafficFlow& flow : flows_) set_out(entry, flow, now);
  }
  if (source.next() < FlowSource::never) calendar_.add(source.next(), {EventKind::flows_begin, entry});
}

bool BackgroundFlows::find_route(const TrafficFlow& flow, int from_place, int to_place) {
  const Platform& platform = machine_.platform;
  back_.clear();
  if (flow.from == outside_node) return platform.route_from_outside(to_place, route_);
  if (flow.to == outside_node) return platform.route_to_outside(from_place, route_);
  platform.route(from_place, to_place, route_);
  if (acknowledged_ > 0) platform.route(to_place, from_place, back_);
  return !route_.empty();
}

void BackgroundFlows::set_out(std::uint32_t entry, const TrafficFlow& flow, double now) {
  const Platform& platform = machine_.platform;
  const int from = flow.from == outside_node ? -1 : platform.first_place(flow.from);
  const int to = flow.to == outside_node ? -1 : platform.first_place(flow.to);
  if (!find_route(flow, from, to)) return;
  Entry& of = entries_[entry];
  ++of.result.flows;
  const MessageId id = messages_.make();
  Message& m = messages_[id];
  m = {};
  m.plan = beside_plans;
  m.bucket = static_cast<std::int32_t>(entry);
  m.from = from;
  m.to_stream = static_cast<std::uint32_t>(to);
  m.links.assign(route_.begin(), route_.end());
  if (of.cap < std::numeric_limits<double>::infinity() || !back_.empty()) {
    MessageExtra& extra = messages_.give_extra(id);
    extra.cap = of.cap;
    add_acknowledgements(platform, route_, back_, acknowledged_, extra.shares);
  }
  if (states_.size() <= id) states_.resize(id + 1);
  states_[id] = {entry, true, now, platform.message_overhead(), flow.bytes, 0};
  for (const std::int32_t l : m.links) states_[id].alpha += machine_.links.latency(l);
  ++under_way_;
  next_stretch(id, now);
  if (flow.until < FlowSource::never) calendar_.add(flow.until, {EventKind::flow_cut, id});
}

/// Puts the next bytes of a flow onto its links.
void BackgroundFlows::next_stretch(MessageId id, double now) {
  State& state = states_[id];
  Message& m = messages_[id];
  m.wire = std::min(state.left, stretch);
  state.left -= m.wire;
  network_->begin(id, now);
}

void BackgroundFlows::ended(MessageId id, double now) {
  State& state = states_[id];
  if (state.left > 0) {
    state.carried += messages_[id].wire;
    ++stirs_;
    next_stretch(id, now);
    return;
  }
  TrafficResult& result = entries_[state.entry].result;
  const double time = now - state.begun + state.alpha;
  ++result.ended;
  result.flow_time += time;
  result.longest_flow_time = std::max(result.longest_flow_time, time);
  release(id, messages_[id].wire);
}

void BackgroundFlows::cut(MessageId id, double now) {
  if (states_[id].flowing) release(id, network_->cut(id, now));
}

void BackgroundFlows::release(MessageId id, double bytes) {
  State& state = states_[id];
  entries_[state.entry].result.bytes += state.carried + bytes;
  state.flowing = false;
  --under_way_;
  messages_.release(id);
}

void BackgroundFlows::give_up(double now) {
  gave_up_ = true;
  for (MessageId id = 0; id < states_.size(); ++id)
    if (states_[id].flowing && states_[id].left == std::numeric_limits<double>::infinity()) cut(id, now);
}

void BackgroundFlows::close(double now) {
  gave_up_ = true;
  for (MessageId id = 0; id < states_.size(); ++id) {
    State& state = states_[id];
    if (!state.flowing) continue;
    Message& m = messages_[id];
    m.wire = network_->carried(id, now);
    machine_.ledger.leave(m, now);
    machine_.ledger.leave(messages_.shares(id), m.wire, now);
    entries_[state.entry].result.bytes += state.carried + m.wire;
    state.flowing = false;
  }
}

std::vector<TrafficResult> BackgroundFlows::results() const {
  std::vector<TrafficResult> results;
  for (const Entry& entry : entries_) {
    TrafficResult& result = results.emplace_back(entry.result);
    if (result.ended > 0) result.flow_time /= static_cast<double>(result.ended);
  }
  return results;
}

} // namespace gradflight
