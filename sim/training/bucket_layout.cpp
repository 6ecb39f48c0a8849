#include "sim/training/bucket_layout.hpp"

#include "models/codecs/selection/csc.hpp"

#include <utility>

namespace gradflight {

BucketLayout::BucketLayout(std::vector<Bucket> buckets, const Workload& workload, const TrainingSpec& training)
    : all_(std::move(buckets)), ready_(workload.layers.size()), first_used_(workload.layers.size()) {
  const ModelSize model{static_cast<double>(workload.elements()), workload.bytes()};
  for (int b = 0; b < size(); ++b) {
    const Bucket& bucket = all_[index(b)];
    plans_.push_back(plan_bucket(bucket, training, model));
    ++ready_[index(bucket.ready_layer)];
    first_used_[index(bucket.first_use)].push_back(b);
  }
}

std::vector<std::size_t> evenly_spread(std::size_t chunks, std::size_t k) {
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < k; ++j) chosen.push_back((2 * j + 1) * chunks / (2 * k));
  return chosen;
}

std::vector<Bucket> exchange_buckets(const Workload& workload, const TrainingSpec& training) {
  if (!training.selection) return make_buckets(workload, training.granularity);
  const ChunkSelection& selection = *training.selection;
  const codec::csc::Pool pool{static_cast<std::size_t>(workload.elements()),
                              static_cast<std::size_t>(selection.chunk_elements)};
  return make_chunk_buckets(workload, training.granularity, selection.chunk_elements,
                            evenly_spread(pool.chunks(), codec::csc::important_chunks(selection.share, pool.chunks())));
}

} // namespace gradflight
