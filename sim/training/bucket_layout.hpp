// The buckets of an exchange, in the order in which they become ready: their host work, and the layers around them.
#pragma once

#include "sim/training/bucket_plan.hpp"

#include <cstdint>
#include <vector>

namespace gradflight {

class BucketLayout {
public:
  /// `buckets`: of an exchange of the workload's gradients.
  BucketLayout(std::vector<Bucket> buckets, const Workload& workload, const TrainingSpec& training);

  [[nodiscard]] int size() const { return static_cast<int>(all_.size()); }
  [[nodiscard]] const Bucket& operator[](int bucket) const { return all_[index(bucket)]; }
  [[nodiscard]] const std::vector<Bucket>& all() const { return all_; }
  [[nodiscard]] const BucketPlan& plan(int bucket) const { return plans_[index(bucket)]; }
  [[nodiscard]] const std::vector<BucketPlan>& plans() const { return plans_; }
  /// Returns how many buckets the backward pass of a layer completes.
  [[nodiscard]] int ready(int layer) const { return ready_[index(layer)]; }
  /// Returns the buckets with results that a layer is the first to need, in the order of the buckets.
  [[nodiscard]] const std::vector<int>& first_used(int layer) const { return first_used_[index(layer)]; }

private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  std::vector<Bucket> all_;
  std::vector<BucketPlan> plans_;            ///< of each bucket
  std::vector<int> ready_;                   ///< of each layer
  std::vector<std::vector<int>> first_used_; ///< of each layer
};

/// Hands out the buckets of each exchange where real gradients decide what an exchange sends.
class ChosenBuckets {
public:
  virtual ~ChosenBuckets() = default;
  /// Returns the layout of an exchange. It has as many buckets as every other one of the phase.
  [[nodiscard]] virtual const BucketLayout& buckets(std::int64_t exchange) const = 0;
};

/// Returns k of `chunks` chunks, spread evenly: floor((2j + 1) chunks / (2k)) for j = 0..k-1. GradientFlow does not say
/// where important chunks lie, so an even spread is the neutral assumption.
std::vector<std::size_t> evenly_spread(std::size_t chunks, std::size_t k);

/// Returns what a phase exchanges: the workload's gradients in buckets, or evenly spread chunks and their norms.
std::vector<Bucket> exchange_buckets(const Workload& workload, const TrainingSpec& training);

} // namespace gradflight
