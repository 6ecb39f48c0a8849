#include "sim/queue/progress.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight {

JobProgress::Done JobProgress::done_at(double now) const {
  if (!pace_) return {0, 0};
  const double done = pace_->times.done(now - since_), whole = std::floor(done);
  const double part = done - whole;
  return {static_cast<std::int64_t>(whole), whole < 1 ? part_ + (1 - part_) * part : part};
}

double JobProgress::under_way(double now, std::int64_t cycle) const {
  const Done done = done_at(now);
  const std::int64_t whole = whole_ + done.whole;
  return whole < iterations_ ? static_cast<double>(whole % cycle) + done.part : 0;
}

void JobProgress::go_on(double now, JobPace pace) {
  before_ = path_until(now);
  const Done done = done_at(now);
  whole_ += done.whole;
  part_ = done.part;
  since_ = now;
  pace_ = std::move(pace);
  // A pipeline drains after its last iteration, at any pace.
  end_ = whole_ < iterations_ ? now + pace_->times.whole(iterations_ - whole_) : std::max(now, end());
}

Path JobProgress::path_until(double time) const {
  Path path = before_;
  if (pace_)
    for (std::size_t part = 0; part < path.size(); ++part) path[part] += (time - since_) * pace_->share[part];
  return path;
}

} // namespace gradflight
