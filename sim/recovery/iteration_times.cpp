#include "sim/recovery/iteration_times.hpp"

#include "sim/result/result.hpp"
#include <algorithm>
#include <cmath>

namespace gradflight {

namespace {

/// Returns the ends of those iterations that did not end while a pipeline drained; of all, if there are no others.
std::vector<double> ends_of(const RunResult& run) {
  std::vector<double> ends;
  for (std::size_t i = 0; i < run.iterations.size(); ++i) ends.push_back(run.iterations[i].end);
  const auto drained = static_cast<std::size_t>(run.drained_iterations);
  if (drained < ends.size()) ends.resize(ends.size() - drained);
  return ends;
}

} // namespace

IterationTimes::IterationTimes(const RunResult& run, std::int64_t cycle)
    : ends_(ends_of(run)), simulated_(std::ssize(run.iterations)) {
  keep_cycles(cycle);
  after_ = run.time - end(simulated_);
}

IterationTimes::IterationTimes(std::vector<double> ends, double after, std::int64_t cycle)
    : ends_(std::move(ends)), simulated_(known()), after_(after) {
  keep_cycles(cycle);
}

void IterationTimes::keep_cycles(std::int64_t cycle) {
  cycle_ = std::min(cycle, known());
  ends_.resize(static_cast<std::size_t>(known() - known() % cycle_));
  const std::int64_t n = known();
  const auto distance = [&](std::int64_t i) { return end(i + 1) - end(i); };
  cycle_time_ = end(n) - end(n - cycle_);
  period_ = cycle_time_ / static_cast<double>(cycle_);
  // At least three cycles, without the first iteration, in which a pipeline fills; or all there are.
  const std::int64_t from = n > 3 * cycle_ ? n - 3 * cycle_ : std::max<std::int64_t>(0, n - 2 * cycle_);
  for (std::int64_t i = from; i < n - cycle_; ++i)
    steady_ = steady_ && std::abs(distance(i) - distance(n - cycle_ + i % cycle_)) <= alike * period_;
  if (steady_) return;
  cycle_ = 1;
  const std::int64_t half = n / 2;
  cycle_time_ = period_ = (end(n) - end(half)) / static_cast<double>(n - half);
}

double IterationTimes::end(std::int64_t count) const {
  if (count <= 0) return 0;
  if (count <= known()) return ends_[static_cast<std::size_t>(count - 1)];
  const std::int64_t cycles = (count - known() - 1) / cycle_ + 1;
  return ends_[static_cast<std::size_t>(count - cycles * cycle_ - 1)] + static_cast<double>(cycles) * cycle_time_;
}

double IterationTimes::done(double seconds) const {
  double cycles = 0;
  if (cycle_ > 1 && seconds >= ends_.back()) {
    cycles = std::floor((seconds - ends_.back()) / cycle_time_) + 1;
    seconds = std::min(seconds - cycles * cycle_time_, ends_.back()); // at that place of the last simulated cycle
  }
  const std::int64_t whole = std::ranges::upper_bound(ends_, seconds) - ends_.begin();
  const double before = end(whole), next = whole < known() ? end(whole + 1) - before : period_;
  return cycles * static_cast<double>(cycle_) + static_cast<double>(whole) +
         (next > 0 ? std::max(0.0, seconds - before) / next : 0);
}

double IterationTimes::into_cycle(double count) const {
  if (cycle_ == 1) return count * period_;
  const double whole = std::floor(count);
  const std::int64_t at = known() + static_cast<std::int64_t>(whole);
  return end(at) - end(known()) + (count - whole) * (end(at + 1) - end(at));
}

namespace {

/// Returns the path of `more` iterations after the simulated ones.
Path path_of(const RunResult& run, const IterationTimes& times, std::int64_t more) {
  // The last iteration's path sums to its own time; this scales it to the period.
  Path path = run.iteration_path;
  const double stretch = run.iteration_time > 0 ? times.period() / run.iteration_time : 0;
  for (double& part : path) part *= static_cast<double>(more) * stretch;
  if (times.cycle() == 1) return path;
  const auto& steps = run.iterations;
  const auto known = static_cast<std::size_t>(times.known());
  const std::size_t before = known - static_cast<std::size_t>(times.cycle());
  const Path begin = before > 0 ? steps[before - 1].path : Path{};
  const Path& rest =
      more % times.cycle() > 0 ? steps[before + static_cast<std::size_t>(more % times.cycle()) - 1].path : begin;
  const std::int64_t whole = more / times.cycle();
  const auto cycles = static_cast<double>(whole);
  for (std::size_t part = 0; part < path.size(); ++part)
    path[part] = cycles * (steps[known - 1].path[part] - begin[part]) + (rest[part] - begin[part]);
  return path;
}

} // namespace

void extend(RunResult& run, const IterationTimes& times, std::int64_t count) {
  const std::int64_t simulated = times.simulated(), cycle = times.cycle();
  if (count == simulated) return;
  const std::int64_t wanted = count / cycle, known = simulated / cycle;
  const double share = static_cast<double>(wanted) / static_cast<double>(known);
  const double contention = at(run.path, Part::contention);
  const Path more = path_of(run, times, count - simulated);
  for (std::size_t part = 0; part < run.path.size(); ++part) run.path[part] += more[part];
  const double cost = contention > 0 ? at(run.path, Part::contention) / contention : 1;
  for (LinkDelay& delay : run.delays) delay.seconds *= cost;
  run.time = times.whole(count);
  const auto scaled = [&](std::int64_t n) {
    return static_cast<std::int64_t>(std::llround(static_cast<double>(n) * share));
  };
  run.messages = scaled(run.messages);
  run.dropped_gradients = scaled(run.dropped_gradients);
  const double each = share * static_cast<double>(simulated) / static_cast<double>(count); // per iteration
  for (double* seconds : {&run.communication_time, &run.exposed_communication_time}) *seconds *= each;
  for (double* bytes : {&run.payload_bytes, &run.wire_bytes, &run.received_bytes}) *bytes *= share;
  for (LinkResult& link : run.links) {
    link.bytes *= share;
    link.busy *= share;
  }
}

} // namespace gradflight
