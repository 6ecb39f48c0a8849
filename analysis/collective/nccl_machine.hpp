// A platform's machine as NCCL's detection of the topology would see it.
#pragma once

#include "analysis/collective/collective_group.hpp"
#include "models/nccl/machine.hpp"

namespace gradflight {

/// Of a platform with `node`; the GPUs of the group alone.
nccl::Machine nccl_machine(const CollectiveGroup& group);

} // namespace gradflight
