#include "sim/engine/executor.hpp"

#include "sim/engine/calendar/prefetch.hpp"

#include <algorithm>

namespace gradflight {

namespace {
/// This many streams and their messages fill a processor's own cache.
constexpr std::size_t beyond_caches = 2048;

bool any_through_nics(std::span<PlanSequence* const> plans) {
  return std::ranges::any_of(plans, [](const PlanSequence* sequence) { return sequence->through_nics(); });
}
} // namespace

Executor::Executor(const PlatformSpec& spec, const Platform& platform, std::span<PlanSequence* const> plans,
                   const EngineOptions& options)
    : options_(options), changes_(options.changes), speeds_(options.changes, platform),
      machine_(spec, platform, any_through_nics(plans), options_.stand_ins), tracks_(plans.size()),
      recorder_(options.timeline, platform),
      watch_(streams_, tracks_, options_.time_limit, options_.wall_limit, options_.progress),
      rank_work_(calendar_, streams_, tracks_, recorder_, speeds_, machine_.delays,
                 1 / spec.rate_while_computing.value_or(1)),
      transport_(machine_, calendar_, streams_, tracks_, rank_work_, recorder_, options_.progress),
      background_(options_.traffic, machine_, calendar_, transport_.messages(), transport_.acknowledgement_weight()),
      steps_(calendar_, streams_, tracks_, rank_work_, transport_),
      meetings_(calendar_, streams_, tracks_, machine_.ledger, rank_work_, watch_),
      calls_(calendar_, streams_, machine_, transport_) {
  for (std::size_t t = 0; t < plans.size(); ++t) {
    tracks_.all[t].plans = plans[t];
    streams_.plan_names.push_back(plans[t]->name());
  }
  machine_.delays.watch(options_.changes);
  const auto of_latency = [](const PlatformChange& c) { return c.what == PlatformChange::What::latency; };
  if (changes_.any()) transport_.watch_links(std::ranges::any_of(options_.changes, of_latency));
  if (options_.losses && changes_.any()) transport_.lose_messages(*options_.losses);
  transport_.set_flow_receiver(background_);
}

void Executor::start() {
  recorder_.name_links(machine_.platform.links());
  recorder_.name_links(machine_.nics.stages());
  if (changes_.next() <= 0) change(0); // before any message is sent
  for (std::uint32_t t = 0; t < tracks_.all.size(); ++t) {
    if (const double begin = tracks_[t].plans->start(); begin > 0)
      calendar_.add(begin, {EventKind::plans_begin, t});
    else
      load(t, *tracks_[t].plans->next(), 0);
  }
  background_.use(transport_.network());
  background_.start();
  settle(0);
}

/// Loads a plan; all its streams begin at `now`.
void Executor::load(std::uint32_t plan, Plan& next, double now) {
  Track& track = tracks_[plan];
  const bool first_plan = track.plan == nullptr;
  track.plan = &next;
  track.shape = &next.shape();
  // Other plans might use the ring's links, so the ring must be alone.
  const bool shortcuts = options_.shortcuts && tracks_.all.size() == 1 && options_.traffic.empty() &&
                         !transport_.protocol() && options_.timeline == nullptr &&
                         !(speeds_.any() && rank_work_.slowing() > 1) && !transport_.loses();
  track.ring =
      shortcuts ? RingShortcut::prove(next, machine_.platform, machine_.links, rank_work_.slowing()) : std::nullopt;
  if (track.ring) next.name_whole_collectives();
  const bool named = depends_on_state_alone(next);
  if (named) next.name_calls();
  calls_.begin_plan(named ? &track : nullptr, shortcuts);
  if (changes_.any()) watch_ring(track);
  if (track.ring && options_.only_times) track.ring->only_times();
  if (track.ring && machine_.delays.watches()) track.ring->note_costs(machine_.delays);
  const std::size_t ranks = track.shape->place.size();
  track.per_rank = static_cast<std::uint32_t>(track.shape->streams);
  recorder_.name(track, first_plan);
  track.accounts.begin_phase(*track.shape, now);
  for (auto& of_ranks : track.occupancies) of_ranks = std::vector<Occupancy>(ranks);
  if (rank_work_.slowing() > 1) track.computing_until.assign(ranks, 0);
  track.met.assign(track.per_rank, {});
  track.ended = 0;
  place_streams(plan);
  for (std::uint32_t s = track.first; s < track.first + track.count; ++s) {
    Stream& stream = streams_[s];
    stream = {};
    stream.plan = plan;
    stream.rank = static_cast<std::int32_t>((s - track.first) / track.per_rank);
    stream.index = static_cast<std::int32_t>((s - track.first) % track.per_rank);
    stream.path = track.end_path;
    stream.program = next.program(stream.rank, stream.index);
    if (stream.program) {
      streams_.wake(s);
    } else {
      stream.stage = StreamStage::ended;
      ++track.ended;
    }
  }
}

/// Finds slots for the streams of a plan: those of the sequence's last plan, or new ones behind all others.
void Executor::place_streams(std::uint32_t plan) {
  Track& track = tracks_[plan];
  const auto count = static_cast<std::uint32_t>(track.shape->place.size()) * track.per_rank;
  const auto all = static_cast<std::uint32_t>(streams_.all.size());
  const bool at_the_end = track.first + track.count == all;
  if (count > track.count && !at_the_end) track.first = all;
  if (count > track.count || at_the_end) streams_.all.resize(track.first + count);
  track.count = count;
}

void Executor::handle(const Event& event, double now) {
  if (options_.history != nullptr) note(event, now);
  switch (event.kind) {
  case EventKind::stream:
    if (!tracks_.over(streams_[event.index].plan)) rank_work_.ended(event.index, now);
    break;
  case EventKind::message_begin: transport_.first_byte(event.index, now); break;
  case EventKind::message_end: transport_.network().end(event.index, now); break;
  case EventKind::message_there: transport_.there(event.index, now); break;
  case EventKind::grant: steps_.grant(now); break;
  case EventKind::plans_begin: load(event.index, *tracks_[event.index].plans->next(), now); break;
  case EventKind::flows_begin: background_.begin(event.index, now); break;
  case EventKind::flow_cut: background_.cut(event.index, now); break;
  case EventKind::message_again: transport_.again(event.index, now); break;
  case EventKind::notice: transport_.try_again(now); break;
  }
}

/// Messages have arbitrary slot numbers, so only the kind of their events counts.
void Executor::note(const Event& event, double now) {
  constexpr std::uint32_t streams_at_most = 1U << 28U;
  const std::uint32_t stream = event.kind == EventKind::stream ? event.index : 0;
  options_.history->happened(static_cast<std::uint32_t>(event.kind) * streams_at_most + stream, now);
}

static bool names_message(EventKind kind) {
  return kind == EventKind::message_begin || kind == EventKind::message_end || kind == EventKind::message_there;
}

/// Prefetches what an event that comes soon names, ...
void Executor::prefetch_objects(const Event& event) const {
  if (event.kind == EventKind::stream)
    prefetch_before(streams_[event.index], streams_[event.index].route_back);
  else if (names_message(event.kind))
    prefetch(transport_.messages()[event.index]);
}

/// ... and the objects that these name.
void Executor::prefetch_details(const Event& event) const {
  if (event.kind == EventKind::stream) {
    if (const Program* program = streams_[event.index].program.get()) prefetch(*program);
  } else if (event.kind == EventKind::message_begin) {
    transport_.network().prefetch(event.index);
  } else if (event.kind == EventKind::message_end) {
    const Message& m = transport_.messages()[event.index];
    if (!m.flowing || m.beside()) return; // stale: its objects may no longer exist
    prefetch_before(streams_[m.to_stream], streams_[m.to_stream].lags);
    prefetch(streams_[m.from_stream], cache_line);
    transport_.network().prefetch(event.index);
  }
}

/// Thousands of ranks have more under way than caches hold, so this prefetches what later instants need.
void Executor::look_ahead() const {
  constexpr std::size_t some = 8; // of thousands in lockstep: handle_due prefetches the others
  calendar_.foresee(2);
  for (const Event& event : calendar_.foreseen(1, some)) prefetch_objects(event);
  for (const Event& event : calendar_.foreseen(0, some)) prefetch_details(event);
}

void Executor::handle_due(double now) {
  constexpr std::size_t far = 8, near = 4;
  const std::span<const Event> due = due_;
  const bool many = due.size() > far && streams_.all.size() >= beyond_caches;
  for (std::size_t i = 0; i < due.size(); ++i) {
    if (many) {
      if (i + far < due.size()) prefetch_objects(due[i + far]);
      if (i + near < due.size()) prefetch_details(due[i + near]);
    }
    handle(due[i], now);
    if (!streams_.ready.empty() || !through_.empty() || tracks_.some_over) run_ready(now);
  }
}

void Executor::advance(double now, double changes_until) {
  if (!(now < Calendar::never)) fail_beyond_doubles(); // one of SimGrid's transfers
  while (true) {
    const double time = next(), event = calendar_.next(), epoch = calendar_.epoch();
    if (!(time <= now) || (epoch + event > time && time > changes_until)) return; // NaN: fail_beyond_doubles
    watch_.pass(time);
    const double instant = epoch > 0 ? event : time; // where links change, the clock does not restart
    // Handle everything at this instant, with all that it causes at the same instant, before sharing the links again.
    while (calendar_.next() == instant) {
      calendar_.take(due_);
      watch_.handled(due_.size(), time);
      if (streams_.all.size() >= beyond_caches) look_ahead();
      handle_due(instant);
    }
    while (changes_.next() <= std::min(time, changes_until)) change(time);
    glance(instant);
    settle(instant);
    if (machine_.delays.full()) machine_.delays.compact(delayed_paths());
  }
}

void Executor::run_ready(double now) {
  constexpr std::ptrdiff_t run_already = 1 << 16;
  do {
    auto& ready = streams_.ready;
    for (std::size_t i = 0; i < ready.size() && !over_; ++i) {
      if (i == run_already) { // streams may wake each other for any number of iterations at one instant
        ready.erase(ready.begin(), ready.begin() + run_already);
        i = 0;
        watch_.handled(run_already, calendar_.epoch() + now);
      }
      run(ready[i], now);
    }
    ready.clear();
    if ((tracks_.some_over || changes_.any() || background_.any()) && !over_ &&
        std::ranges::all_of(tracks_.all, &Track::done)) {
      over_ = true;
      background_.close(now);
      calendar_.clear();
    }
    if (!through_.empty()) begin_next_plans(now);
  } while (!streams_.ready.empty());
}

/// The next plan of a sequence waits for what is still under way.
void Executor::begin_next_plans(double now) {
  const std::vector<std::uint32_t> through = std::move(through_);
  through_.clear();
  for (const std::uint32_t t : through) {
    Track& track = tracks_[t];
    if (track.accounts.in_flight() > 0) {
      through_.push_back(t);
      continue;
    }
    // Gradients that came after a server's last update are still in its inbox.
    if (track.shape->leaves_late) transport_.discard_inboxes(track);
    for (std::uint32_t s = track.first; s < track.first + track.count; ++s) streams_[s].program.reset();
    load(t, *track.plans->next(), now);
  }
}

/// Runs a stream until it has to wait.
void Executor::run(std::uint32_t s, double now) {
  if (tracks_.over(streams_[s].plan)) return;
  last_run_ = calendar_.epoch() + now;
  for (;;) {
    Stream& stream = streams_[s];
    bool done = false;
    switch (stream.stage) {
    case StreamStage::fetch:
      if (!stream.program->next(stream.op)) {
        end_stream(s, now);
        return;
      }
      done = begin_op(s, now);
      break;
    case StreamStage::queued: rank_work_.start(s, now); return;
    case StreamStage::working:
    case StreamStage::counting:
    case StreamStage::meeting: done = true; break;
    case StreamStage::ended: return;
    default: done = steps_.resume(s, now); break;
    }
    if (!done || tracks_.over(streams_[s].plan)) return;
    streams_[s].stage = StreamStage::fetch;
  }
}

void Executor::end_stream(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  Track& track = tracks_[stream.plan];
  stream.stage = StreamStage::ended;
  const double end = calendar_.epoch() + now;
  if (!same_instant(track.end, end) || !tracks_.ties.prefer(track.end_path, stream.path)) track.end_path = stream.path;
  track.end = end;
  if (++track.ended == track.count && !track.plans->last()) through_.push_back(stream.plan);
}

/// Returns true if the operation ends at once.
bool Executor::begin_op(std::uint32_t s, double now) {
  const Op& op = streams_[s].op;
  if (std::holds_alternative<StepOp>(op)) return steps_.begin(s, now); // the most frequent kind
  if (const auto* work = std::get_if<WorkOp>(&op)) return rank_work_.submit(s, *work, now);
  if (const auto* wait = std::get_if<WaitOp>(&op)) return meetings_.wait(s, *wait, now);
  if (std::holds_alternative<BarrierOp>(op)) return meetings_.meet(s, now);
  if (std::holds_alternative<DrainOp>(op)) return steps_.drain(s, now);
  if (const auto* collective = std::get_if<CollectiveOp>(&op)) {
    meetings_.enter(s, *collective, now);
    return false;
  }
  if (const auto* begun = std::get_if<CallBeginOp>(&op)) return calls_.begin(s, *begun, now);
  if (const auto* ended = std::get_if<CallEndOp>(&op)) return calls_.end(s, *ended, now);
  if (const auto* signalled = std::get_if<SignalOp>(&op)) {
    meetings_.signal(s, *signalled, now);
    if (streams_[s].index == 0) calls_.ready(streams_[s], now);
  } else {
    mark(s, std::get<MarkOp>(op), now);
  }
  return true;
}

void Executor::mark(std::uint32_t s, const MarkOp& op, double now) {
  const Stream& stream = streams_[s];
  Track& track = tracks_[stream.plan];
  const bool complete = track.accounts.mark(stream.rank, op.iteration, op.draining, now, stream.path, tracks_.ties);
  if (complete && has_events()) track.accounts.list_events(machine_.delays, outages_, calendar_.epoch() + now);
  track.plan->marked(calendar_.epoch() + now, complete);
  if (complete && options_.history != nullptr) options_.history->iteration_ended(now);
  if (!complete || !track.shape->leaves_late || op.iteration + 1 < track.shape->iterations || !track.plans->last())
    return;
  track.over = tracks_.some_over = true;
  track.end = calendar_.epoch() + now;
  track.end_path = stream.path;
}

/// Collects the delays of every path that may still continue.
std::vector<DelayId*> Executor::delayed_paths() {
  std::vector<DelayId*> paths;
  for (Track& track : tracks_.all) {
    paths.push_back(&track.end_path.last_delay);
    if (has_events()) track.accounts.add_kept_delays(paths);
    for (auto& of_ranks : track.occupancies)
      for (Occupancy& resource : of_ranks)
        if (TracedPath* path = resource.path()) paths.push_back(&path->last_delay);
  }
  for (Stream& stream : streams_.all) {
    paths.push_back(&stream.path.last_delay);
    paths.push_back(&stream.last_combine.path.last_delay);
    for (Lag& lag : stream.lags) paths.push_back(&lag.path.last_delay);
  }
  for (Message& m : transport_.messages().slots()) {
    paths.push_back(&m.path.last_delay);
    if (m.latencies != 0) paths.push_back(&m.latencies);
  }
  transport_.add_kept_delays(paths);
  calls_.add_kept_delays(paths);
  return paths;
}

} // namespace gradflight
