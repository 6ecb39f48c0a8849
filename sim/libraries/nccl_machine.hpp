// A platform's machine as NCCL's topology detection would see it.
#pragma once

#include "models/nccl/machine.hpp"
#include "platforms/code/spec/spec.hpp"

namespace gradflight {

/// Returns the first `gpus_per_node` GPUs of each of `nodes` nodes of a platform with `node`, as NCCL sees them.
nccl::Machine nccl_machine(const PlatformSpec& platform, int nodes, int gpus_per_node);

} // namespace gradflight
