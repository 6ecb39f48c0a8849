// Which chunks each exchange of a phase sends, and the buckets they form (GradientFlow Sec. 3.2).
//
// Without real tensors every exchange sends the same chunks, spread evenly over the pool of gradients: chunk floor((2j
// + 1) C / (2k)) for j = 0..k-1 of C chunks. The paper does not say where important chunks lie, so an even spread is
// the neutral assumption. With real tensors the data plane chooses the chunks of each exchange.
#pragma once

#include "models/codecs/selection/csc.hpp"
#include "sim/training/bucket_plan.hpp"

#include <map>
#include <vector>

namespace gradflight {

/// Returns k of `chunks` chunks, spread evenly.
std::vector<std::size_t> evenly_spread(std::size_t chunks, std::size_t k);

/// Returns what a phase exchanges: the workload's gradients in buckets, or evenly spread chunks and their norms.
std::vector<Bucket> exchange_buckets(const Workload& workload, const TrainingSpec& training);

class ChunkSteps {
public:
  /// Requires a selection in `training`. Both must outlive this.
  ChunkSteps(const Workload& workload, const TrainingSpec& training);

  struct Step {
    codec::csc::Chunks important;
    std::vector<Bucket> buckets; ///< the last one contains the norms
    std::vector<BucketPlan> plans;
    std::vector<codec::csc::Chunks> chunks; ///< of each bucket but the last
    std::vector<int> ready;                 ///< buckets that the backward pass of each layer completes
  };
  [[nodiscard]] const Step& step(std::int64_t exchange) const;
  [[nodiscard]] const codec::csc::Pool& pool() const { return pool_; }

  /// From now on step() returns what choose() has set; exchanges before `exchange` are forgotten.
  void choose(std::int64_t exchange, codec::csc::Chunks important);

private:
  [[nodiscard]] Step lay_out(codec::csc::Chunks important) const;

  const Workload& workload_;
  const TrainingSpec& training_;
  codec::csc::Pool pool_;
  Step even_;
  std::map<std::int64_t, Step> chosen_;
};

} // namespace gradflight
