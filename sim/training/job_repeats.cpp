// Which calls of a job an engine may repeat, and when the passes will be ready for them.
#include "sim/training/job.hpp"

#include <algorithm>

namespace gradflight {

namespace {

/// Returns whether kinds recur after the first bucket, which RepeatedCalls does not note.
bool recur(const std::vector<int>& kinds) {
  for (std::size_t b = 1; b < kinds.size(); ++b)
    if (std::find(kinds.begin() + 1, kinds.begin() + static_cast<std::ptrdiff_t>(b), kinds[b]) !=
        kinds.begin() + static_cast<std::ptrdiff_t>(b))
      return true;
  return false;
}

} // namespace

std::vector<int> Job::kinds_of_calls() const {
  const auto alike = [this](int a, int b) {
    const MessageWeights::Even weight = weights.even(a), other = weights.even(b);
    return calls->of_bucket[static_cast<std::size_t>(a)] == calls->of_bucket[static_cast<std::size_t>(b)] &&
           buckets.plan(a).unit_bytes == buckets.plan(b).unit_bytes && weight.ratio == other.ratio &&
           weight.beside == other.beside;
  };
  std::vector<int> kinds;
  for (int b = 0; b < buckets.size(); ++b) {
    int first = 0;
    while (!alike(first, b)) ++first;
    kinds.push_back(first);
  }
  return kinds;
}

bool Job::repeats_calls() const {
  if (!calls || tasks.sharded() != nullptr || training.selection || ranks.helpers() > 0 || ranks.workers() < 2 ||
      streams() > 1 || depth() > 1)
    return false;
  const CompressionSpec& compression = training.compression;
  if (!compression.tensors.directory.empty() || compression.placement || !weights.blocks().even()) return false;
  if (!training.costs.empty() || jitter_ || !ranks.equally_fast()) return false;
  return recur(kinds_of_calls());
}

void Job::calls_ahead(std::int64_t call, std::vector<CallAhead>& ahead) const {
  auto bucket = static_cast<int>(call % buckets.size());
  int layer = buckets[bucket].ready_layer;
  double after = 0;
  for (;;) {
    ahead.push_back({call_kinds_[static_cast<std::size_t>(bucket)], after});
    if (++bucket == buckets.size()) return;
    if (!wait_free()) continue; // all become ready at the end of the pass
    for (; layer > buckets[bucket].ready_layer; --layer)
      after += workload.layers[static_cast<std::size_t>(layer) - 1].backward * ranks.slowness(0);
  }
}

} // namespace gradflight
