#include "sim/training/sharded_tasks.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// Passes first .. last of a round use a bucket's parameters.
struct Use {
  std::size_t bucket = 0;
  std::int64_t first = 0, last = 0;
};

/// In the order in which the passes reach them.
std::vector<Use> forward_uses(const std::vector<Bucket>& buckets) {
  std::vector<Use> uses;
  for (std::size_t b = buckets.size(); b-- > 0;) uses.push_back({b, buckets[b].first_use, buckets[b].last_use});
  std::ranges::stable_sort(uses, {}, &Use::first);
  return uses;
}

std::vector<Use> uses_in_round(const std::vector<Bucket>& buckets, std::int64_t layers, bool regathered) {
  std::vector<Use> uses = forward_uses(buckets);
  if (!regathered) return uses;
  const auto forward = static_cast<std::ptrdiff_t>(uses.size());
  for (std::size_t b = 0; b < buckets.size(); ++b)
    uses.push_back({b, 2 * layers - 1 - buckets[b].last_use, 2 * layers - 1 - buckets[b].first_use});
  std::stable_sort(uses.begin() + forward, uses.end(), [](const Use& a, const Use& b) { return a.first < b.first; });
  return uses;
}

/// Returns the signal after passes 0 .. `passes` - 1; a round's first signal is its own begin.
std::int64_t ended(std::int64_t passes) { return 1 + passes; }

/// Builds a round. Of two tasks that await the same signal, the one added first comes first.
class Builder {
public:
  Builder(int streams, std::int64_t layers) : passes_(static_cast<std::size_t>(2 * layers)) {
    round_.tasks.resize(static_cast<std::size_t>(streams));
    round_.first_uses.resize(static_cast<std::size_t>(layers));
  }

  /// `needed_by`: the pass that waits for it; -1: none.
  void add(const Task& task, std::int64_t needed_by) { added_.push_back({task, needed_by}); }

  /// Sorts the tasks added so far; later ones come after them.
  void close() {
    std::ranges::stable_sort(added_, {}, [](const Added& a) { return a.task.awaits; });
    round_.before.resize(passes_);
    for (const Added& one : added_) {
      const Wait wait = put(one.task);
      if (one.needed_by >= 0) wait_for(round_.before[static_cast<std::size_t>(one.needed_by)], wait);
    }
    added_.clear();
    round_.scattered = all();
  }
  void add_updated(const Task& task, int first_use) {
    wait_for(round_.first_uses[static_cast<std::size_t>(first_use)], put(task));
  }
  ShardedTasks::Round finish() {
    round_.gathered = all();
    return std::move(round_);
  }

private:
  using Wait = ShardedTasks::Wait;
  struct Added {
    Task task;
    std::int64_t needed_by;
  };
  ShardedTasks::Round round_;
  std::vector<Added> added_;
  std::size_t passes_;

  Wait put(const Task& task) {
    const std::size_t stream = static_cast<std::size_t>(task.bucket) % round_.tasks.size();
    round_.tasks[stream].push_back(task);
    return {static_cast<int>(stream), static_cast<std::int64_t>(round_.tasks[stream].size())};
  }
  /// Tasks end in order, so the last one of a stream also covers those before it.
  static void wait_for(std::vector<Wait>& waits, const Wait& wait) {
    const auto same = std::ranges::find(waits, wait.stream, &Wait::stream);
    if (same == waits.end())
      waits.push_back(wait);
    else
      same->count = std::max(same->count, wait.count);
  }
  [[nodiscard]] std::vector<Wait> all() const {
    std::vector<Wait> waits;
    for (std::size_t s = 0; s < round_.tasks.size(); ++s)
      if (!round_.tasks[s].empty()) waits.push_back({static_cast<int>(s), std::ssize(round_.tasks[s])});
    return waits;
  }
};

void add_gathers(Builder& round, const ShardedSpec& sharded, const std::vector<Bucket>& buckets, std::int64_t layers,
                 const Schedule* gather) {
  const std::vector<Use> uses = uses_in_round(buckets, layers, sharded.reshard_after_forward);
  std::vector<std::int64_t> free_from(buckets.size(), 0); // passes that must have ended since each was last used
  std::int64_t in_order = 0;
  for (std::size_t k = 0; k < uses.size(); ++k) {
    const Use& use = uses[k];
    const std::size_t ahead = std::min(k, static_cast<std::size_t>(sharded.prefetch));
    in_order = std::max({in_order, uses[k - ahead].first, free_from[use.bucket]});
    free_from[use.bucket] = use.last + 1;
    round.add({static_cast<int>(use.bucket), gather, false, false, ended(in_order), true}, use.first);
  }
}

} // namespace

ShardedTasks::ShardedTasks(const TrainingSpec& training, const std::vector<Bucket>& buckets, int layers,
                           const Schedule* scatter, const Schedule* gather) {
  const ShardedSpec& sharded = training.exchange.sharded;
  const bool updates_model = sharded.stage < 3; // parameters are gathered after the update instead of at each use
  const bool once_a_step = sharded.stage == 1 || sharded.no_sync;
  const std::int64_t passes = 2 * std::int64_t{layers};
  signals_in_round = ended(passes);
  signals_in_step = signals_in_round * training.accumulation + (updates_model ? 1 : 0);
  for (Round* round : {&each, &last}) {
    Builder builder(training.streams, layers);
    if (!updates_model) add_gathers(builder, sharded, buckets, layers, gather);
    if (round == &last || !once_a_step)
      for (std::size_t b = 0; b < buckets.size(); ++b) {
        const bool early = training.overlap.kind != OverlapKind::none;
        const std::int64_t ready = early ? passes - buckets[b].ready_layer : passes;
        builder.add({static_cast<int>(b), scatter, true, true, ended(ready), false}, -1);
      }
    builder.close();
    if (round == &last && updates_model)
      for (const Use& use : forward_uses(buckets))
        builder.add_updated({static_cast<int>(use.bucket), gather, false, false, signals_in_round + 1, true},
                            buckets[use.bucket].first_use);
    *round = builder.finish();
  }
}

} // namespace gradflight
