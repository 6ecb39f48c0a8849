// Calls of NCCL, and of RCCL, which derives from it: the choice by its tables, as a schedule.
#pragma once

#include "models/nccl/tuning.hpp"
#include "platforms/code/spec/spec.hpp"
#include "sim/libraries/library_call.hpp"

#include <memory>

namespace gradflight {

/// What the library computes before its first call.
struct NcclSetup {
  nccl::Machine machine;
  nccl::Graphs graphs;
  nccl::Tuning tuning;
};

bool is_amd(const PlatformSpec& platform); ///< its GPUs
/// Whether RCCL's tables are known for the platform's GPUs.
bool has_rccl(const PlatformSpec& platform);

/// Returns why the library cannot choose on this many nodes and GPUs of the platform, a sentence each; if empty,
/// nccl_setup accepts them.
std::vector<std::string> nccl_mistakes(const PlatformSpec& platform, int nodes, int gpus_per_node,
                                       nccl::Library library);

/// Searches the machine, which may take seconds. Needs at least two ranks. `release`: of NCCL; its tables choose. The
/// result depends only on the machine, the library and the release. So the process caches it: equal machines are
/// searched once, also by several threads at a time.
std::shared_ptr<const NcclSetup> nccl_setup(const PlatformSpec& platform, int nodes, int gpus_per_node,
                                            nccl::Library library, int release = nccl::newest_release);

/// Returns why the forced choices are impossible; empty if they are possible.
std::string nccl_refused(const NcclSetup& setup, Operation op, const nccl::Forced& forced);

/// `elements` > 0, counted as in GroupSpec; for blocks, whole ones for each rank; `element_size` > 0. Not refused.
LibraryCall nccl_library_call(const NcclSetup& setup, Operation op, std::int64_t elements, double element_size,
                              const nccl::Forced& forced);

} // namespace gradflight
