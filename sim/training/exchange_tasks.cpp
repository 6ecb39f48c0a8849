#include "sim/training/exchange_tasks.hpp"

#include "models/schedules/algorithms/sharded.hpp"
#include "models/schedules/make_schedule.hpp"

#include <iterator>

namespace gradflight {

ExchangeTasks::ExchangeTasks(const TrainingSpec& training, const BucketLayout& buckets, std::size_t layers, int workers,
                             bool calls)
    : signals_(buckets.size()), last_round_(static_cast<std::size_t>(training.streams)),
      finish_(static_cast<std::size_t>(buckets.size())) {
  const ExchangeSpec& x = training.exchange;
  if (is_sharded(x)) {
    for (const ShardedLeg leg : {ShardedLeg::scatter, ShardedLeg::gather})
      schedules_.push_back(calls ? nullptr : make_sharded(x, workers, leg));
    sharded_.emplace(training, buckets.all(), static_cast<int>(layers), schedules_[0].get(), schedules_[1].get());
    rounds_ = training.accumulation;
    last_round_ = sharded_->last.tasks;
    signals_ = sharded_->signals_in_step;
    return;
  }
  if (!pulls_at_first_use(x)) {
    schedules_.push_back(calls ? nullptr : make_schedule(x, workers));
    for (int b = 0; b < buckets.size(); ++b) add(b, schedules_[0].get(), true, true);
    return;
  }
  schedules_.push_back(make_push_schedule(x, workers));
  schedules_.push_back(make_pull_schedule(x, workers));
  for (int b = 0; b < buckets.size(); ++b) add(b, schedules_[0].get(), true, false);
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const std::vector<int>& first_used = buckets.first_used(static_cast<int>(layer));
    for (auto b = first_used.rbegin(); b != first_used.rend(); ++b) add(*b, schedules_[1].get(), false, true);
  }
}

void ExchangeTasks::add(int bucket, const Schedule* schedule, bool first_leg, bool last_leg) {
  const auto b = static_cast<std::size_t>(bucket), stream = b % last_round_.size();
  last_round_[stream].push_back(
      {bucket, schedule, first_leg, last_leg, first_leg ? bucket + std::int64_t{1} : 0, false});
  if (last_leg) finish_[b] = {stream, std::ssize(last_round_[stream])};
}

} // namespace gradflight
