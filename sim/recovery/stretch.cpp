#include "sim/recovery/stretch.hpp"

#include <algorithm>

namespace gradflight {
namespace {

/// Returns how often `each` fits into `span`, at most `most` times.
std::int64_t fits(double span, double each, std::int64_t most) {
  if (each <= 0) return most;
  auto times = static_cast<std::int64_t>(std::min(span / each, static_cast<double>(most)));
  while (times < most && static_cast<double>(times + 1) * each <= span) ++times;
  while (times > 0 && static_cast<double>(times) * each > span) --times;
  return times;
}

} // namespace

Stretch write_synchronously(const Pace& pace, std::int64_t between, std::int64_t left, double span) {
  const IterationTimes& times = pace.times;
  const std::int64_t every = between > 0 ? between : left, checkpoints = (left - 1) / every;
  const double work = times.part_of_job(every),
               last = checkpoints > 0 ? times.part_of_job(left - checkpoints * every) : times.whole(left),
               cycle = work + pace.write;
  Stretch s;
  const double all = static_cast<double>(checkpoints) * cycle + last;
  s.ended = all <= span;
  s.checkpoints = s.ended ? checkpoints : fits(span, cycle, checkpoints);
  s.saved_iterations = s.ended ? left : s.checkpoints * every;
  s.saved_time = static_cast<double>(s.checkpoints) * work + (s.ended ? last : 0);
  s.written = static_cast<double>(s.checkpoints) * pace.write;
  s.time = s.ended ? all : span;
  if (s.ended) return s;
  const double rest = span - static_cast<double>(s.checkpoints) * cycle;
  s.redone = s.checkpoints < checkpoints ? std::min(rest, work) : rest;
  s.written += rest - s.redone;
  return s;
}

Stretch write_asynchronously(const Pace& pace, std::int64_t between, std::int64_t left, double span) {
  const IterationTimes& times = pace.times;
  const std::int64_t every = between > 0 ? between : left, checkpoints = (left - 1) / every;
  const double write = pace.write;
  Stretch s;
  double now = 0, stood = 0; // when checkpoint j was taken, and the time waited until then
  std::int64_t j = 0;
  const auto hold = [&](double taken) { // whether its write ends in time
    if (taken + write > span) return false;
    s.checkpoints = j;
    s.saved_iterations = j * every;
    s.saved_time = taken - stood;
    return true;
  };
  const auto next = [&](std::int64_t of) {
    const bool mean = every % times.cycle() != 0 && (of - 1) * every >= times.known();
    return mean ? static_cast<double>(every) * times.period() : times.end(of * every) - times.end((of - 1) * every);
  };
  while (j < checkpoints) {
    const bool steady = j > 0 && (j - 1) * every >= times.known();
    const double work = next(j + 1), step = j > 0 ? std::max(work, write) : work;
    if (steady) { // all later ones are alike
      const std::int64_t many = fits(span - now - write, step, checkpoints - j);
      if (many > 1) {
        now += static_cast<double>(many) * step;
        stood += static_cast<double>(many) * (step - work);
        j += many;
        hold(now);
        continue;
      }
    }
    if (now + step > span) break;
    now += step;
    stood += step - work;
    ++j;
    if (!hold(now)) break;
  }
  const double end = now + times.whole(left) - times.end(j * every);
  if (j == checkpoints && end <= span) {
    s.ended = true;
    s.time = end;
    if (j > 0 && s.checkpoints == j && now + write > end)
      --s.checkpoints; // the job ends before its last checkpoint is written
    s.saved_iterations = left;
    s.saved_time = end - stood;
    s.written = stood;
    return s;
  }
  // Between two checkpoints it either works or waits for the last write.
  const double since = span - now;
  double waits = 0;
  if (j > 0 && j < checkpoints) waits = std::max(0.0, std::min(since, write) - std::min(since, next(j + 1)));
  s.time = span;
  s.written = stood + waits;
  s.redone = span - s.saved_time - s.written;
  return s;
}

} // namespace gradflight
