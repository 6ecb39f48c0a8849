#include "sim/data/chunk_steps.hpp"

#include <stdexcept>
#include <utility>

namespace gradflight {

using codec::csc::Chunks;

ChunkSteps::ChunkSteps(const Workload& workload, const TrainingSpec& training, int count)
    : workload_(workload), training_(training), pool_{static_cast<std::size_t>(workload.elements()),
                                                      static_cast<std::size_t>(training.selection->chunk_elements)},
      count_(count) {}

const ChunkSteps::Step& ChunkSteps::step(std::int64_t exchange) const {
  const auto found = chosen_.find(exchange);
  if (found == chosen_.end()) throw std::logic_error("the chunks of an exchange are requested before they are chosen");
  return found->second;
}

void ChunkSteps::choose(std::int64_t exchange, Chunks important) {
  std::vector<std::size_t> numbers;
  for (std::size_t chunk = 0; chunk < important.size(); ++chunk)
    if (important[chunk]) numbers.push_back(chunk);
  std::vector<Bucket> buckets =
      make_chunk_buckets(workload_, training_.granularity, training_.selection->chunk_elements, numbers);
  std::vector<Chunks> chunks;
  std::size_t next = 0;
  for (const Bucket& bucket : buckets) {
    if (bucket.norms) break;
    Chunks& own = chunks.emplace_back(important.size(), false);
    for (int i = 0; i < bucket.tensors; ++i) own[numbers[next++]] = true;
  }
  Step step{std::move(important), std::move(chunks), BucketLayout(std::move(buckets), workload_, training_)};
  // The same number of chunks makes the same number of buckets: only the pool's last chunk, at the end, is shorter.
  if (step.buckets.size() != count_) throw std::logic_error("chosen chunks make another number of buckets");
  chosen_.erase(chosen_.begin(), chosen_.lower_bound(exchange - 1));
  chosen_.insert_or_assign(exchange, std::move(step));
}

Chunks ChunkSteps::evenly() const {
  Chunks even(pool_.chunks(), false);
  for (const std::size_t chunk :
       evenly_spread(even.size(), codec::csc::important_chunks(training_.selection->share, even.size())))
    even[chunk] = true;
  return even;
}

} // namespace gradflight
