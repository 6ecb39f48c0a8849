// Where streams wait for one another: a barrier, a whole collective, a count of signals.
#include "sim/engine/executor.hpp"

#include <algorithm>

namespace gradflight {

/// True for the last worker to come, which all of them then leave with: it is what they have waited for.
bool Executor::meet(std::uint32_t s) {
  Stream& stream = streams_[s];
  auto& met = met_[static_cast<std::size_t>(stream.index)];
  if (met.size() + 1 < static_cast<std::size_t>(job_->workers)) {
    met.push_back(s);
    stream.stage = Stage::meeting;
    return false;
  }
  std::sort(met.begin(), met.end());
  for (const std::uint32_t other : met) streams_[other].path = stream.path;
  ready_.insert(ready_.end(), met.begin(), met.end());
  met.clear();
  return true;
}

/// The last rank to enter sets all of them off to their ends.
void Executor::enter_collective(std::uint32_t s, const CollectiveOp& op, double now) {
  Stream& stream = streams_[s];
  stream.stage = Stage::working;
  accounts_.hold();
  if (!ring_->enter(stream.rank, now, stream.path)) return;
  const auto& ranks = ring_->finish(op.bucket, accounts_, ledger_, beside_compute_, computing_until_);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto other = static_cast<std::uint32_t>(r * static_cast<std::size_t>(streams_per_rank_) +
                                                  static_cast<std::size_t>(stream.index));
    streams_[other].path = ranks[r].path;
    calendar_.add(ranks[r].time, {EventKind::stream, other});
  }
  if (options_.progress) options_.progress(now, accounts_.messages);
}

void Executor::signal(std::uint32_t s, const SignalOp& op) {
  Stream& stream = streams_[s];
  if (data_ && stream.index > 0) data_->finished(stream.rank, op.bucket, op.iteration);
  ++stream.signals;
  const std::uint32_t first = s - static_cast<std::uint32_t>(stream.index);
  for (std::uint32_t other = first; other < first + static_cast<std::uint32_t>(streams_per_rank_); ++other) {
    Stream& waiter = streams_[other];
    if (waiter.stage != Stage::counting) continue;
    const auto& awaited = std::get<WaitOp>(waiter.op);
    if (awaited.stream != stream.index || awaited.value != stream.signals) continue;
    waiter.path = stream.path;
    ready_.push_back(other);
  }
}

} // namespace gradflight
