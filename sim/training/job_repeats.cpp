// Which calls of a job an engine may repeat, and when the passes will be ready for them.
#include "sim/training/job.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// Returns for each bucket the number of the first bucket with calls that send the same messages.
std::vector<int> kinds_of(const Job& job) {
  const auto alike = [&job](std::size_t a, std::size_t b) {
    const MessageWeights::Even weight = job.weights.even(static_cast<int>(a));
    const MessageWeights::Even other = job.weights.even(static_cast<int>(b));
    return job.calls->of_bucket[a] == job.calls->of_bucket[b] && job.plans[a].unit_bytes == job.plans[b].unit_bytes &&
           weight.ratio == other.ratio && weight.beside == other.beside;
  };
  std::vector<int> kinds;
  for (std::size_t b = 0; b < job.buckets.size(); ++b) {
    std::size_t first = 0;
    while (!alike(first, b)) ++first;
    kinds.push_back(static_cast<int>(first));
  }
  return kinds;
}

/// Returns whether kinds recur after the first bucket, which RepeatedCalls does not note.
bool recur(const std::vector<int>& kinds) {
  for (std::size_t b = 1; b < kinds.size(); ++b)
    if (std::find(kinds.begin() + 1, kinds.begin() + static_cast<std::ptrdiff_t>(b), kinds[b]) !=
        kinds.begin() + static_cast<std::ptrdiff_t>(b))
      return true;
  return false;
}

} // namespace

bool Job::repeats_calls() const {
  if (!calls || sharded || chunks || ranks.helpers() > 0 || ranks.workers() < 2 || streams() > 1 || depth > 1)
    return false;
  const CompressionSpec& compression = training.compression;
  if (!compression.tensors.directory.empty() || compression.placement || !weights.blocks().even()) return false;
  if (!training.costs.empty() || jitter_ || !ranks.equally_fast()) return false;
  return recur(kinds_of(*this));
}

void Job::name_calls() { call_kinds = kinds_of(*this); }

void Job::calls_ahead(std::int64_t call, std::vector<CallAhead>& ahead) const {
  auto bucket = static_cast<std::size_t>(call) % buckets.size();
  int layer = buckets[bucket].ready_layer;
  double after = 0;
  for (;;) {
    ahead.push_back({call_kinds[bucket], after});
    if (++bucket == buckets.size()) return;
    if (!wait_free) continue; // all become ready at the end of the pass
    for (; layer > buckets[bucket].ready_layer; --layer)
      after += workload.layers[static_cast<std::size_t>(layer) - 1].backward * ranks.slowness(0);
  }
}

} // namespace gradflight
