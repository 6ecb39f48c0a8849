#include "sim/recovery/iteration_times.hpp"

#include "sim/result/result.hpp"
#include <algorithm>
#include <cmath>

namespace gradflight {

namespace {

std::vector<double> ends_of(const RunResult& run) {
  std::vector<double> ends;
  for (const IterationResult& iteration : run.iterations) ends.push_back(iteration.end);
  return ends;
}

} // namespace

IterationTimes::IterationTimes(const RunResult& run)
    : IterationTimes(ends_of(run), run.time - run.iterations.back().end) {}

IterationTimes::IterationTimes(std::vector<double> ends, double after) : ends_(std::move(ends)), after_(after) {
  const std::size_t n = ends_.size();
  const auto distance = [&](std::size_t i) { return ends_[i] - (i > 0 ? ends_[i - 1] : 0); };
  period_ = distance(n - 1);
  if (n < 4) { // too few to judge: the run has no more
    steady_ = n == 1 || std::abs(distance(n - 1) - distance(n - 2)) <= alike * period_;
  } else {
    for (std::size_t i = n - 3; i < n - 1; ++i) steady_ = steady_ && std::abs(distance(i) - period_) <= alike * period_;
  }
  if (!steady_) {
    const std::size_t half = n / 2;
    period_ = (ends_.back() - ends_[half - 1]) / static_cast<double>(n - half);
  }
}

double IterationTimes::end(std::int64_t count) const {
  if (count <= 0) return 0;
  if (count <= simulated()) return ends_[static_cast<std::size_t>(count - 1)];
  return ends_.back() + static_cast<double>(count - simulated()) * period_;
}

double IterationTimes::done(double seconds) const {
  const auto whole = static_cast<std::size_t>(std::ranges::upper_bound(ends_, seconds) - ends_.begin());
  const double before = whole > 0 ? ends_[whole - 1] : 0;
  const double next = whole < ends_.size() ? ends_[whole] - before : period_;
  return static_cast<double>(whole) + (next > 0 ? std::max(0.0, seconds - before) / next : 0);
}

void extend(RunResult& run, const IterationTimes& times, std::int64_t count) {
  const std::int64_t simulated = times.simulated();
  if (count == simulated) return;
  const double more = static_cast<double>(count - simulated),
               share = static_cast<double>(count) / static_cast<double>(simulated);
  // The last iteration's path sums to its own time; this scales it to the period.
  const double stretch = run.iteration_time > 0 ? times.period() / run.iteration_time : 0;
  const double contention = at(run.path, Part::contention);
  for (std::size_t part = 0; part < run.path.size(); ++part)
    run.path[part] += more * stretch * run.iteration_path[part];
  const double cost = contention > 0 ? at(run.path, Part::contention) / contention : 1;
  for (LinkDelay& delay : run.delays) delay.seconds *= cost;
  run.time = times.whole(count);
  const auto scaled = [&](std::int64_t n) {
    return static_cast<std::int64_t>(std::llround(static_cast<double>(n) * share));
  };
  run.messages = scaled(run.messages);
  run.dropped_gradients = scaled(run.dropped_gradients);
  for (double* bytes : {&run.payload_bytes, &run.wire_bytes, &run.received_bytes}) *bytes *= share;
  for (LinkResult& link : run.links) {
    link.bytes *= share;
    link.busy *= share;
  }
}

} // namespace gradflight
