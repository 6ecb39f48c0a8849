// A group's machine as NCCL's detection of the topology would see it.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"
#include "sim/libraries/nccl_machine.hpp"

namespace gradflight {

/// Of a platform with `node`; the GPUs of the group alone.
inline nccl::Machine nccl_machine(const CollectiveGroup& group) {
  return nccl_machine(group.spec, group.nodes, group.gpus_per_node);
}

} // namespace gradflight
