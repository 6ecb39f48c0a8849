#include "sim/engine/executor.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {
constexpr std::size_t at(Part part) { return static_cast<std::size_t>(part); }

std::vector<double> link_capacities(const Platform& platform, const NicLinks& nics) {
  std::vector<double> capacities;
  capacities.reserve(platform.links().size() + nics.stages().size());
  for (const DirectedLink& link : platform.links()) capacities.push_back(link.bandwidth);
  for (const DirectedLink& stage : nics.stages()) capacities.push_back(stage.bandwidth);
  return capacities;
}
} // namespace

Executor::Executor(const Scenario& scenario, const Platform& platform, const SimulateOptions& options)
    : scenario_(scenario), platform_(platform), options_(options),
      placed_(std::any_of(scenario.phases.begin(), scenario.phases.end(),
                          [](const Phase& p) { return p.training.compression.placement.has_value(); })),
      nics_(scenario, platform, platform.links().size()), capacities_(link_capacities(platform, nics_)),
      ledger_(capacities_.size()) {
  if (scenario.platform.protocol) messaging_.emplace(*scenario.platform.protocol);
}

void Executor::start() {
  load(0, 0);
  settle(0);
}

/// Lays out a phase; all its streams begin at `now`.
void Executor::load(std::size_t phase, double now) {
  phase_ = phase;
  ChunkData::Memory memory = close_data();
  streams_.clear(); // their programs refer to the old job
  job_ = std::make_unique<Job>(scenario_, scenario_.phases[phase], platform_);
  if (!job_->training.compression.tensors.directory.empty())
    data_ = std::make_unique<DataPlane>(*job_, std::move(memory));
  const bool shortcuts = !data_ && !messaging_ && scenario_.engine.shortcuts &&
                         scenario_.engine.kind == EngineKind::hybrid && options_.timeline == nullptr;
  ring_ = shortcuts ? RingShortcut::prove(*job_, platform_) : std::nullopt;
  job_->whole_collectives = ring_.has_value();
  streams_per_rank_ = job_->streams() + 1;
  const auto ranks = static_cast<std::size_t>(job_->ranks);
  name_records();
  accounts_.begin_phase(job_->workers - job_->training.exchange.backup_workers, ranks, now);
  busy_until_.assign(ranks, {});
  beside_compute_ = 1 / job_->rate_while_computing;
  if (beside_compute_ > 1) computing_until_.assign(ranks, 0);
  met_.assign(static_cast<std::size_t>(streams_per_rank_), {});
  streams_.resize(ranks * static_cast<std::size_t>(streams_per_rank_));
  ready_.clear();
  ended_ = 0;
  for (std::uint32_t s = 0; s < streams_.size(); ++s) {
    Stream& stream = streams_[s];
    stream.rank = static_cast<std::int32_t>(s / static_cast<std::uint32_t>(streams_per_rank_));
    stream.index = static_cast<std::int32_t>(s % static_cast<std::uint32_t>(streams_per_rank_));
    stream.path = end_path_;
    stream.program = job_->program(stream.rank, stream.index);
    if (stream.program) {
      ready_.push_back(s);
    } else {
      stream.stage = Stage::ended;
      ++ended_;
    }
  }
}

void Executor::advance(double now) {
  while (calendar_.next() <= now) {
    const double time = calendar_.next();
    if (scenario_.limits.simulated_time && time > scenario_.limits.simulated_time->value())
      fail(fmt::format("past limits.simulated_time, {} s", scenario_.limits.simulated_time->value()));
    // Everything at this instant, whatever it leads to at the same instant, before links are shared out anew.
    while (calendar_.next() == time) {
      calendar_.take(due_);
      for (const Event event : due_) {
        switch (event.kind) {
        case EventKind::stream: end_work(event.index, time); break;
        case EventKind::message_begin:
          if (messages_[event.index].wire > 0 && !messages_[event.index].links.empty()) {
            messages_[event.index].begun = time;
            network_->begin(event.index, time);
          } else {
            messages_[event.index].begun = time;
            arrived(event.index, time);
          }
          break;
        case EventKind::message_end: network_->end(event.index, time); break;
        case EventKind::message_there: there(event.index, time); break;
        case EventKind::reduce: grant(time); break;
        }
        run_ready(time);
      }
    }
    settle(time);
  }
}

void Executor::settle(double now) {
  run_ready(now);
  network_->settle(now);
}

void Executor::run_ready(double now) {
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    run(ready_[i], now);
    if (over_) break;
  }
  ready_.clear();
  if (over_ || ended_ < streams_.size() || phase_ + 1 == scenario_.phases.size()) {
    if (over_) calendar_.clear();
    return;
  }
  if (accounts_.in_flight() > 0) return; // the next phase waits for what is still under way
  discard_late_gradients();
  load(phase_ + 1, now);
  run_ready(now);
}

/// Takes the result of the phase's tensors; returns what the next phase's go on from.
ChunkData::Memory Executor::close_data() {
  if (!data_) return {};
  data_result_ = data_->finish();
  ChunkData::Memory memory = data_->take_memory();
  data_.reset();
  return memory;
}

/// With backup workers, gradients that came after a server's last update lie in its inbox.
void Executor::discard_late_gradients() {
  if (job_->training.exchange.backup_workers == 0) return;
  for (Stream& stream : streams_) {
    for (MessageId id = stream.inbox; id != no_message;) {
      const MessageId next = messages_[id].next;
      messages_.release(id);
      ++accounts_.dropped;
      id = next;
    }
    stream.inbox = stream.inbox_last = no_message;
  }
}

/// Runs a stream until it has to wait.
void Executor::run(std::uint32_t s, double now) {
  if (over_) return;
  for (;;) {
    Stream& stream = streams_[s];
    bool done = false;
    switch (stream.stage) {
    case Stage::fetch:
      if (!stream.program->next(stream.op)) {
        stream.stage = Stage::ended;
        ++ended_;
        if (now >= end_) {
          end_ = now;
          end_path_ = stream.path;
        }
        return;
      }
      done = begin_op(s, now);
      break;
    case Stage::queued: done = begin_work(s, now); break;
    case Stage::lagging: done = encode(s, now); break;
    case Stage::encoding: done = transfer(s, now); break;
    case Stage::taken:
    case Stage::decoding: done = combine(s, now); break;
    case Stage::combining:
    case Stage::sending: done = sent(s); break;
    case Stage::working:
    case Stage::counting:
    case Stage::meeting: done = true; break;
    case Stage::receiving:
    case Stage::asking:
    case Stage::ended: return;
    }
    if (!done || over_) return;
    streams_[s].stage = Stage::fetch;
  }
}

/// True when the operation is over at once.
bool Executor::begin_op(std::uint32_t s, double now) {
  const Op& op = streams_[s].op;
  if (std::holds_alternative<StepOp>(op)) return begin_step(s, now); // most of all
  if (const auto* work = std::get_if<WorkOp>(&op)) return begin(s, *work, now);
  if (const auto* wait = std::get_if<WaitOp>(&op)) return begin(s, *wait);
  if (std::holds_alternative<BarrierOp>(op)) return meet(s);
  if (std::holds_alternative<DrainOp>(op)) return drain(s, now);
  if (const auto* collective = std::get_if<CollectiveOp>(&op)) {
    enter_collective(s, *collective, now);
    return false;
  }
  if (const auto* signalled = std::get_if<SignalOp>(&op))
    signal(s, *signalled);
  else if (const auto* marked = std::get_if<MarkOp>(&op))
    mark(s, *marked, now);
  else
    ++accounts_.dropped; // DiscardOp
  return true;
}

bool Executor::begin(std::uint32_t s, const WorkOp& op, double now) {
  if (op.seconds <= 0) return true;
  Stream& stream = streams_[s];
  double begin = now;
  stream.work_end = occupy(stream, op.resource, op.seconds, now, begin);
  if (begin <= now) return begin_work(s, now);
  stream.stage = Stage::queued;
  stream.path[at(Part::queue)] += begin - now;
  calendar_.add(begin, {EventKind::stream, s});
  return false;
}

bool Executor::begin(std::uint32_t s, const WaitOp& op) {
  Stream& stream = streams_[s];
  const auto other = s - static_cast<std::uint32_t>(stream.index) + static_cast<std::uint32_t>(op.stream);
  if (streams_[other].signals >= op.value) return true;
  stream.stage = Stage::counting;
  return false;
}

bool Executor::drain(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  if (stream.last_combine.end <= now) return true;
  stream.stage = Stage::working;
  stream.path = stream.last_combine.path;
  calendar_.add(stream.last_combine.end, {EventKind::stream, s});
  return false;
}

void Executor::mark(std::uint32_t s, const MarkOp& op, double now) {
  const Stream& stream = streams_[s];
  const bool complete = accounts_.mark(op.iteration, op.draining, now, stream.path);
  if (complete && job_->training.exchange.backup_workers > 0 && op.iteration + 1 == job_->training.iterations &&
      phase_ + 1 == scenario_.phases.size()) {
    over_ = true;
    end_ = now;
    end_path_ = stream.path;
  }
}

} // namespace gradflight
