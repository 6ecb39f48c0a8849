// Costs of a bucket on its ranks besides messages: host work before and after its exchange.
#pragma once

#include "scenarios/language/types/training.hpp"
#include "sim/plan/op.hpp"

#include <vector>

namespace gradflight {

/// Host costs of a bucket at one hook, in seconds, in the order of the scenario's list.
struct HostWork {
  Resource resource;
  int label; ///< index into TrainingSpec::costs
  double seconds;
};
WorkOp host_op(const HostWork& work, std::int64_t iteration);

struct BucketPlan {
  std::int64_t elements = 0;
  double unit_bytes = 4;    ///< bytes per unit of its schedule: an element, or a top-k list of k entries
  double element_bytes = 4; ///< bytes of an element on the wire; for lists the mean of value and index
  std::vector<HostWork> before, after;
};

Resource resource_of(CostResource on);
/// In elements and dense bytes.
struct ModelSize {
  double elements = 0, bytes = 0;
};
/// `model`: the whole gradient; the costs of choosing chunks depend on it.
BucketPlan plan_bucket(const Bucket& bucket, const TrainingSpec& training, const ModelSize& model);

} // namespace gradflight
