#include "tests/models/schedules/schedule_executor.hpp"

#include "models/schedules/make_schedule.hpp"
#include "tests/models/schedules/describe_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <random>
#include <stdexcept>

namespace gradflight::test {

namespace {

struct Message {
  Range range;
  Vector data;
  int stamp;
};

struct Combination {
  int step;
  Range range;
  Vector data;
  Combine combine;
};

struct State {
  Vector data;
  int step = 0, steps = 0;
  bool started = false, received = false;
  int clock = 0, last_sent = 0, in_flight = 0;
  std::deque<Combination> pending;
};

class Executor {
public:
  Executor(const Schedule& schedule, const ExecutorOptions& options) : schedule_(schedule), options_(options) {
    for (int i = 0; i < schedule.participants(); ++i) {
      State state;
      state.steps = schedule.steps(i);
      if (options.initial)
        state.data = options.initial(i);
      else
        state.data.assign(static_cast<std::size_t>(options.n), i < schedule.workers() ? Contributions{1} << i : 0);
      states_.push_back(std::move(state));
    }
  }

  Execution run() {
    std::vector<int> order(states_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::mt19937 random(options_.seed);
    for (bool progress = true; progress;) {
      std::shuffle(order.begin(), order.end(), random);
      progress = false;
      for (const int who : order) progress = advance(who, random) || progress;
    }
    return finish();
  }

private:
  [[noreturn]] void fail(int who, const char* what) const {
    const State& state = states_[static_cast<std::size_t>(who)];
    throw std::runtime_error(fmt::format("participant {} {}: {}", who, what,
                                         state.step < state.steps ? describe(schedule_, options_.n, who, state.step)
                                                                  : std::string("at its end")));
  }

  State& at(int who) { return states_[static_cast<std::size_t>(who)]; }
  [[nodiscard]] bool free_of_cost(int a, int b) const { return options_.place(a) == options_.place(b); }

  std::size_t slot(int who, Range range, std::int64_t i) const {
    const std::int64_t at = range.first + i;
    if (range.first < 0 || range.first > options_.n || (!options_.wraps && at >= options_.n))
      fail(who, "leaves the vector");
    return static_cast<std::size_t>(at % options_.n);
  }

  void apply(int who, int before_step) {
    State& state = at(who);
    for (; !state.pending.empty() && state.pending.front().step < before_step; state.pending.pop_front()) {
      const Combination& next = state.pending.front();
      for (std::int64_t i = 0; i < next.range.count; ++i) {
        Contributions& mine = state.data[slot(who, next.range, i)];
        const Contributions theirs = next.data[static_cast<std::size_t>(i)];
        if (next.combine == Combine::take) {
          if (options_.lossless && (mine & ~theirs) != 0) fail(who, "loses a contribution");
          if (options_.no_repeats && mine == theirs && schedule_.workers() > 1) fail(who, "gets what it has");
          mine = theirs;
        } else {
          if ((mine & theirs) != 0) fail(who, "adds a contribution twice");
          if (mine == 0 && next.combine == Combine::reduce) fail(who, "adds to nothing");
          mine |= theirs;
        }
      }
    }
  }

  void send(int who, const Step& step) {
    if (step.to < 0 || step.to >= schedule_.participants() || step.to == who) fail(who, "sends to nobody");
    State& state = at(who);
    Message message{step.out, {}, state.clock + (free_of_cost(who, step.to) ? 0 : 1)};
    for (std::int64_t i = 0; i < step.out.count; ++i) {
      message.data.push_back(state.data[slot(who, step.out, i)]);
      if (message.data.back() == 0) fail(who, "sends what it does not have");
    }
    if (!free_of_cost(who, step.to)) {
      ++result_.messages;
      result_.units += step.out.count;
    }
    state.last_sent = std::max(state.last_sent, message.stamp);
    ++state.in_flight;
    queues_[{step.to, who}].push_back(std::move(message));
  }

  bool receive(int who, const Step& step, std::mt19937& random) {
    auto queue = queues_.end();
    if (step.from == anyone) {
      std::vector<decltype(queue)> ready;
      for (auto i = queues_.lower_bound({who, 0}); i != queues_.end() && i->first.first == who; ++i)
        if (!i->second.empty()) ready.push_back(i);
      if (!ready.empty()) queue = ready[random() % ready.size()];
    } else {
      queue = queues_.find({who, step.from});
    }
    if (queue == queues_.end() || queue->second.empty()) return false;
    Message message = std::move(queue->second.front());
    queue->second.pop_front();
    if (message.range != step.in) fail(who, "gets another range than it expects");
    State& state = at(who);
    state.clock = std::max(state.clock, message.stamp);
    state.pending.push_back({state.step, step.in, std::move(message.data), step.combine});
    --at(queue->first.second).in_flight;
    return true;
  }

  void update(int who, const Step& step) {
    const int wanted = options_.update_with != 0 ? static_cast<int>(options_.update_with) : schedule_.workers();
    for (std::int64_t i = 0; i < step.in.count; ++i)
      if (std::popcount(at(who).data[slot(who, step.in, i)]) != wanted) fail(who, "updates with too few gradients");
    result_.updated += step.in.count;
  }

  bool advance(int who, std::mt19937& random) {
    State& state = at(who);
    if (state.step == state.steps) return false;
    const Step step = schedule_.step(options_.n, who, state.step);
    const bool moved = !state.started;
    if (!state.started) {
      apply(who, state.step - schedule_.lag());
      if (step.update) update(who, step);
      if (step.to != no_rank) send(who, step);
      state.started = true;
      state.received = step.from == no_rank;
    }
    if (!state.received && !(state.received = receive(who, step, random))) return moved;
    if (step.wait_sent) {
      if (options_.rendezvous && state.in_flight > 0) return moved;
      state.clock = std::max(state.clock, state.last_sent);
    }
    ++state.step;
    state.started = false;
    return true;
  }

  Execution finish() {
    for (int i = 0; i < schedule_.participants(); ++i) {
      if (at(i).step < at(i).steps) fail(i, "is stuck");
      apply(i, at(i).steps);
      result_.alphas = std::max(result_.alphas, at(i).clock);
      result_.data.push_back(std::move(at(i).data));
    }
    std::int64_t left = 0;
    for (const auto& [pair, queue] : queues_) left += static_cast<std::int64_t>(queue.size());
    if (left != options_.unclaimed) throw std::runtime_error(fmt::format("{} messages were never received", left));
    return std::move(result_);
  }

  const Schedule& schedule_;
  const ExecutorOptions& options_;
  std::vector<State> states_;
  std::map<std::pair<int, int>, std::deque<Message>> queues_; // (receiver, sender)
  Execution result_;
};

} // namespace

Execution execute(const Schedule& schedule, const ExecutorOptions& options) {
  return Executor(schedule, options).run();
}

Execution execute(const ExchangeSpec& exchange, int workers, const ExecutorOptions& options) {
  const auto schedule = make_schedule(exchange, workers);
  if (schedule->workers() != workers || schedule->participants() != workers + helper_count(exchange, workers))
    throw std::runtime_error("a schedule with other participants than the catalogue promises");
  return execute(*schedule, options);
}

bool all_reduced(const Execution& execution, int workers) {
  for (int w = 0; w < workers; ++w)
    for (const Contributions c : execution.data[static_cast<std::size_t>(w)])
      if (c != everyone(workers)) return false;
  return true;
}

Contributions everyone(int workers) { return workers == 64 ? ~Contributions{0} : (Contributions{1} << workers) - 1; }

} // namespace gradflight::test
