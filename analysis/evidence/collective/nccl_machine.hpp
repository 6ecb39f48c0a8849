// A group's machine in the form of NCCL's topology detection.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"
#include "sim/libraries/nccl_machine.hpp"

namespace gradflight {

/// Needs a platform with `node`; contains only the GPUs of the group.
inline nccl::Machine nccl_machine(const CollectiveGroup& group) {
  return nccl_machine(group.spec, group.nodes, group.gpus_per_node);
}

} // namespace gradflight
