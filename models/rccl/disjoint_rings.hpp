// Rings over GPUs that are joined pair by pair.
#pragma once

#include <vector>

namespace gradflight::nccl {

/// Returns gpus - 1 rings through all GPUs that together use each direction of each pair once. Empty if none are found;
/// for 4 and 6 GPUs none exist.
std::vector<std::vector<int>> disjoint_rings(int gpus);

} // namespace gradflight::nccl
