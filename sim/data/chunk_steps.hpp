// The chunks that each exchange of a phase sends, as real gradients choose them, and their buckets (GradientFlow Sec.
// 3.2).
#pragma once

#include "models/codecs/selection/csc.hpp"
#include "sim/training/bucket_layout.hpp"

#include <map>
#include <vector>

namespace gradflight {

class ChunkSteps final : public ChosenBuckets {
public:
  /// Requires a selection in `training`; every exchange makes `count` buckets. Both objects must outlive this one.
  ChunkSteps(const Workload& workload, const TrainingSpec& training, int count);

  struct Step {
    codec::csc::Chunks important;
    std::vector<codec::csc::Chunks> chunks; ///< of each bucket but the last, which contains the norms
    BucketLayout buckets;
  };
  /// For an exchange with chosen chunks.
  [[nodiscard]] const Step& step(std::int64_t exchange) const;
  [[nodiscard]] const BucketLayout& buckets(std::int64_t exchange) const override { return step(exchange).buckets; }
  [[nodiscard]] const codec::csc::Pool& pool() const { return pool_; }

  /// Sets the chunks of an exchange, as many as the selection's share. Forgets all exchanges but this and the last one.
  void choose(std::int64_t exchange, codec::csc::Chunks important);
  /// Returns evenly spread chunks, for an exchange before which no gradient is known.
  [[nodiscard]] codec::csc::Chunks evenly() const;

private:
  const Workload& workload_;
  const TrainingSpec& training_;
  codec::csc::Pool pool_;
  int count_;
  std::map<std::int64_t, Step> chosen_;
};

} // namespace gradflight
