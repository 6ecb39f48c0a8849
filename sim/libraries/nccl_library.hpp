// Calls of NCCL, and of RCCL, which is made from it: the choice of its tables, as a schedule.
#pragma once

#include "models/nccl/tuning.hpp"
#include "platforms/code/spec/spec.hpp"
#include "sim/libraries/library_call.hpp"

#include <memory>

namespace gradflight {

/// What the library finds before its first call.
struct NcclSetup {
  nccl::Machine machine;
  nccl::Graphs graphs;
  nccl::Tuning tuning;
};

/// Why the library has nothing to choose by on so many nodes and GPUs of the platform, a sentence each; none:
/// nccl_setup takes it.
std::vector<std::string> nccl_mistakes(const PlatformSpec& platform, int nodes, int gpus_per_node,
                                       nccl::Library library);

/// Searches the machine, which may take seconds. Of two ranks and more. `release`: NCCL's, whose tables choose. The
/// result depends on the machine, the library and the release alone, so the process keeps it: equal machines are
/// searched once, also by several threads at a time.
std::shared_ptr<const NcclSetup> nccl_setup(const PlatformSpec& platform, int nodes, int gpus_per_node,
                                            nccl::Library library, int release = nccl::newest_release);

/// Why what is forced cannot serve; empty: it does.
std::string nccl_refused(const NcclSetup& setup, Operation op, const nccl::Forced& forced);

/// `elements` > 0 as GroupSpec counts them, of blocks whole ones for each rank; `element_size` > 0. Not refused.
LibraryCall nccl_library_call(const NcclSetup& setup, Operation op, std::int64_t elements, double element_size,
                              const nccl::Forced& forced);

} // namespace gradflight
