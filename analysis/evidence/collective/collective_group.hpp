// The process group of a collective: ranks on GPUs of a platform, and the costs of their links.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"
#include "platforms/code/platform.hpp"

namespace gradflight {

struct CollectiveGroup {
  PlatformSpec spec;
  Platform platform;
  std::string name; ///< name of the platform
  int nodes = 0, gpus_per_node = 0;
  std::vector<std::int32_t> places; ///< place of each rank, node by node

  [[nodiscard]] int ranks() const { return nodes * gpus_per_node; }
};

/// Ranks are the first GPUs of the first nodes. Throws InputErrors.
CollectiveGroup make_group(const CollectiveRequest& request);

} // namespace gradflight
