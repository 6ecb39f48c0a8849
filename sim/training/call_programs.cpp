#include "sim/training/call_programs.hpp"

#include "sim/group/lane_program.hpp"
#include "sim/training/task_walk.hpp"

#include <stdexcept>

namespace gradflight {

namespace {

const LibraryCall& call_of(const Job& job, const TaskWalk& walk) {
  return job.calls->call_of(walk.task().bucket, walk.task().parameters);
}

/// Returns how often a lane signals in a call: after each step if other lanes wait for it, and at its end.
std::int64_t lane_signals(const LibraryCall& call, int lane, int member) {
  const GroupSchedule& schedule = *call.schedule;
  if (lane >= schedule.lanes() || member >= schedule.members()) return 0;
  return (schedule.awaited(lane) ? schedule.steps(lane, member) : 0) + 1;
}

class LaunchProgram final : public Program {
public:
  LaunchProgram(const Job& job, int rank, int stream) : job_(job), walk_(job, stream), stream_(stream), rank_(rank) {}
  bool next(Op& op) override;
  std::optional<std::int64_t> skip_calls(std::int64_t until) override;

private:
  enum class At { last_over, ready, before, enter, begin, launch, signal };
  const Job& job_;
  TaskWalk walk_;
  int stream_, rank_;
  At at_ = At::last_over;
  std::size_t index_ = 0;
};

bool LaunchProgram::next(Op& op) {
  const bool helper = job_.ranks.is_helper(rank_);
  while (!walk_.over()) {
    const Task& task = walk_.task();
    switch (at_) {
    case At::last_over:
      at_ = At::ready;
      if (walk_.done() == 0) break;
      op = WaitOp{JobCalls::over_stream(stream_), walk_.done()};
      return true;
    case At::ready:
      at_ = helper ? At::signal : At::before;
      index_ = 0;
      if (helper || task.awaits == 0) break;
      op = WaitOp{0, walk_.awaits()};
      return true;
    case At::before:
      if (task.first_leg && index_ < walk_.plan().before.size()) {
        op = host_op(walk_.plan().before[index_++], walk_.iteration());
        return true;
      }
      at_ = At::enter;
      break;
    case At::enter:
      at_ = At::begin;
      if (!task.first_leg || !job_.training.exchange.barrier) break;
      op = BarrierOp{task.bucket, walk_.iteration()};
      return true;
    case At::begin:
      at_ = At::launch;
      if (!job_.names_calls()) break;
      op = CallBeginOp{walk_.done()};
      return true;
    case At::launch:
      at_ = At::signal;
      if (call_of(job_, walk_).launch <= 0) break;
      {
        WorkOp launch =
            host_op({Resource::cpu, static_cast<int>(job_.training.costs.size()), call_of(job_, walk_).launch},
                    walk_.iteration());
        launch.launches_call = true;
        op = launch;
        return true;
      }
    case At::signal:
      op = SignalOp{task.bucket, walk_.iteration()};
      walk_.advance();
      at_ = At::last_over;
      return true;
    }
  }
  return false;
}

std::optional<std::int64_t> LaunchProgram::skip_calls(std::int64_t until) {
  const std::int64_t before = walk_.done();
  while (walk_.done() < until) walk_.advance();
  at_ = At::last_over;
  return until - before;
}

/// One lane of all calls of a communication stream.
class CallLaneProgram final : public Program {
public:
  CallLaneProgram(const Job& job, int rank, int stream, int lane)
      : job_(job), walk_(job, stream), rank_(rank), member_(job.member_of(rank)), stream_(stream), lane_(lane),
        signals_(static_cast<std::size_t>(job.calls->lanes)) {}
  bool next(Op& op) override;
  std::optional<std::int64_t> skip_calls(std::int64_t until) override;

private:
  void begin();
  void end();
  void lay(StepOp& op) const;

  const Job& job_;
  TaskWalk walk_;
  int rank_, member_, stream_, lane_;
  std::vector<std::int64_t> signals_; ///< of each of this stream's lanes, in the calls before this one
  std::optional<LaneProgram> steps_;
};

bool CallLaneProgram::next(Op& op) {
  while (!walk_.over()) {
    if (lane_signals(call_of(job_, walk_), lane_, member_) == 0) {
      end();
      continue;
    }
    if (!steps_) {
      begin();
      op = WaitOp{JobCalls::launch_stream(job_.streams(), stream_), walk_.done() + 1};
      return true;
    }
    const Task& task = walk_.task();
    if (!steps_->next(op)) throw std::logic_error("a lane must end with its mark");
    if (auto* step = std::get_if<StepOp>(&op)) {
      lay(*step);
    } else if (auto* wait = std::get_if<WaitOp>(&op)) {
      wait->value += signals_[static_cast<std::size_t>(wait->stream)];
      wait->stream = job_.calls->lane_stream(job_.streams(), stream_, wait->stream);
    } else if (auto* work = std::get_if<WorkOp>(&op)) {
      work->label = task.bucket;
      work->iteration = walk_.iteration();
    } else if (std::holds_alternative<MarkOp>(op)) {
      op = SignalOp{task.bucket, walk_.iteration()};
      end();
    } else {
      op = SignalOp{task.bucket, walk_.iteration()};
    }
    return true;
  }
  return false;
}

void CallLaneProgram::begin() {
  const Task& task = walk_.task();
  const HopCosts& hops = call_of(job_, walk_).hops;
  const double gamma = job_.ranks.is_helper(rank_) ? 0 : hops.gamma(job_.ranks.gamma(rank_));
  const double bytes = job_.buckets.plan(task.bucket).unit_bytes;
  const double rate = hops.copy_rate;
  steps_.emplace(*call_of(job_, walk_).schedule, lane_, member_, gamma * bytes, rate > 0 ? bytes / rate : 0);
}

void CallLaneProgram::end() {
  for (int lane = 0; lane < job_.calls->lanes; ++lane)
    signals_[static_cast<std::size_t>(lane)] += lane_signals(call_of(job_, walk_), lane, member_);
  steps_.reset();
  walk_.advance();
}

std::optional<std::int64_t> CallLaneProgram::skip_calls(std::int64_t until) {
  if (walk_.done() >= until) return std::nullopt;
  const std::int64_t& own = signals_[static_cast<std::size_t>(lane_)];
  const std::int64_t before = own;
  while (walk_.done() < until) end();
  return own - before;
}

/// Maps members to ranks, and names the message after the bucket.
void CallLaneProgram::lay(StepOp& op) const {
  const Task& task = walk_.task();
  for (int* peer : {&op.transfer.to, &op.transfer.from, &op.transfer.by})
    if (*peer >= 0) *peer = job_.rank_of_member[static_cast<std::size_t>(*peer)];
  op.bucket = task.bucket;
  op.name = task.parameters ? job_.buckets.size() : 0;
  op.lag = 0;
  op.tag = walk_.done();
  op.iteration = walk_.iteration();
  op.encoded = job_.training.compression.encodes(task.parameters);
  op.encode_seconds = 0;
}

/// The stream on which a call ends when all of its lanes have ended.
class OverProgram final : public Program {
public:
  OverProgram(const Job& job, int rank, int stream)
      : job_(job), walk_(job, stream), rank_(rank), member_(job.member_of(rank)), stream_(stream),
        signals_(static_cast<std::size_t>(job.calls->lanes)) {}
  bool next(Op& op) override;
  std::optional<std::int64_t> skip_calls(std::int64_t until) override;

private:
  [[nodiscard]] bool ends_call(Op& op, const TaskWalk& walk);

  const Job& job_;
  TaskWalk walk_;
  int rank_, member_, stream_, lane_ = 0;
  std::size_t index_ = 0;
  bool ended_ = false;                ///< the program has named the end of the call
  std::vector<std::int64_t> signals_; ///< of each lane, so far
  std::optional<TaskWalk> skipped_;   ///< before walk_: skipped calls that only end
};

/// If calls are named, their end comes first, then the signal. Returns true for the end.
bool OverProgram::ends_call(Op& op, const TaskWalk& walk) {
  ended_ = job_.names_calls() && !ended_;
  if (ended_)
    op = CallEndOp{walk.done()};
  else
    op = SignalOp{walk.task().bucket, walk.iteration()};
  return ended_;
}

std::optional<std::int64_t> OverProgram::skip_calls(std::int64_t until) {
  skipped_.emplace(walk_);
  while (walk_.done() < until) {
    for (; lane_ < job_.calls->lanes; ++lane_)
      signals_[static_cast<std::size_t>(lane_)] += lane_signals(call_of(job_, walk_), lane_, member_);
    lane_ = 0;
    walk_.advance();
  }
  return 0;
}

bool OverProgram::next(Op& op) {
  if (skipped_) {
    if (!ends_call(op, *skipped_)) skipped_->advance();
    if (skipped_->done() == walk_.done()) skipped_.reset();
    return true;
  }
  if (walk_.over()) return false;
  while (lane_ < job_.calls->lanes) {
    const int lane = lane_++;
    const std::int64_t more = lane_signals(call_of(job_, walk_), lane, member_);
    if (more == 0) continue;
    op = WaitOp{job_.calls->lane_stream(job_.streams(), stream_, lane),
                signals_[static_cast<std::size_t>(lane)] += more};
    return true;
  }
  const Task& task = walk_.task();
  if (!job_.ranks.is_helper(rank_) && task.last_leg && index_ < walk_.plan().after.size()) {
    op = host_op(walk_.plan().after[index_++], walk_.iteration());
    return true;
  }
  if (ends_call(op, walk_)) return true;
  walk_.advance();
  lane_ = 0;
  index_ = 0;
  return true;
}

} // namespace

std::unique_ptr<Program> call_program(const Job& job, int rank, int stream) {
  const int streams = job.streams();
  if (stream <= streams) return std::make_unique<OverProgram>(job, rank, stream - 1);
  if (stream <= 2 * streams) return std::make_unique<LaunchProgram>(job, rank, stream - streams - 1);
  const int lane = stream - 2 * streams - 1;
  return std::make_unique<CallLaneProgram>(job, rank, lane / job.calls->lanes, lane % job.calls->lanes);
}

} // namespace gradflight
