// What a bucket costs its ranks besides messages: host work before and after its exchange.
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
  double unit_bytes = 4; ///< bytes of one unit of its schedule: 4 for elements, 8 k for top-k lists
  std::vector<HostWork> before, after;
};

Resource resource_of(CostResource on);
/// `model_elements`: of the whole gradient, which the costs of choosing chunks count.
BucketPlan plan_bucket(const Bucket& bucket, const TrainingSpec& training, double model_elements);

} // namespace gradflight
