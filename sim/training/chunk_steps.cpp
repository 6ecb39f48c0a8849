#include "sim/training/chunk_steps.hpp"

#include <stdexcept>

namespace gradflight {
namespace {

using codec::csc::Chunks;

std::vector<std::size_t> indices(const Chunks& chunks) {
  std::vector<std::size_t> list;
  for (std::size_t c = 0; c < chunks.size(); ++c)
    if (chunks[c]) list.push_back(c);
  return list;
}

codec::csc::Pool pool_of(const Workload& workload, const ChunkSelection& selection) {
  return {static_cast<std::size_t>(workload.elements()), static_cast<std::size_t>(selection.chunk_elements)};
}

} // namespace

std::vector<std::size_t> evenly_spread(std::size_t chunks, std::size_t k) {
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < k; ++j) chosen.push_back((2 * j + 1) * chunks / (2 * k));
  return chosen;
}

std::vector<Bucket> exchange_buckets(const Workload& workload, const TrainingSpec& training) {
  if (!training.selection) return make_buckets(workload, training.granularity);
  const std::size_t chunks = pool_of(workload, *training.selection).chunks();
  return make_chunk_buckets(workload, training.granularity, training.selection->chunk_elements,
                            evenly_spread(chunks, codec::csc::important_chunks(training.selection->share, chunks)));
}

ChunkSteps::ChunkSteps(const Workload& workload, const TrainingSpec& training)
    : workload_(workload), training_(training), pool_(pool_of(workload, *training.selection)) {
  Chunks even(pool_.chunks(), false);
  for (const std::size_t c :
       evenly_spread(even.size(), codec::csc::important_chunks(training.selection->share, even.size())))
    even[c] = true;
  even_ = lay_out(std::move(even));
}

ChunkSteps::Step ChunkSteps::lay_out(Chunks important) const {
  Step step;
  const std::vector<std::size_t> chosen = indices(important);
  step.important = std::move(important);
  step.buckets = make_chunk_buckets(workload_, training_.granularity, training_.selection->chunk_elements, chosen);
  step.ready.assign(workload_.layers.size(), 0);
  std::size_t next = 0;
  const ModelSize model{static_cast<double>(pool_.elements), workload_.bytes()};
  for (const Bucket& bucket : step.buckets) {
    ++step.ready[static_cast<std::size_t>(bucket.ready_layer)];
    step.plans.push_back(plan_bucket(bucket, training_, model));
    if (bucket.norms) break;
    Chunks& own = step.chunks.emplace_back(step.important.size(), false);
    for (int i = 0; i < bucket.tensors; ++i) own[chosen[next++]] = true;
  }
  return step;
}

const ChunkSteps::Step& ChunkSteps::step(std::int64_t exchange) const {
  if (chosen_.empty()) return even_;
  const auto found = chosen_.find(exchange);
  if (found == chosen_.end()) throw std::logic_error("chunks of an exchange are asked for before they are chosen");
  return found->second;
}

void ChunkSteps::choose(std::int64_t exchange, Chunks important) {
  Step step = lay_out(std::move(important));
  // The same number of chunks makes the same number of buckets: only the pool's last chunk, at the end, is shorter.
  if (step.buckets.size() != even_.buckets.size())
    throw std::logic_error("chosen chunks make another number of buckets");
  chosen_.erase(chosen_.begin(), chosen_.lower_bound(exchange - 1));
  chosen_.insert_or_assign(exchange, std::move(step));
}

} // namespace gradflight
