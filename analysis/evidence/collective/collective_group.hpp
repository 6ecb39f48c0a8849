// The process group of a collective: ranks on GPUs of a platform, and the costs of their links.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"
#include "models/schedules/operations/parts/group_form.hpp"
#include "platforms/code/platform.hpp"

namespace gradflight {

struct CollectiveGroup {
  PlatformSpec spec;
  Platform platform;
  std::string name; ///< name of the platform
  int nodes = 0, gpus_per_node = 0;
  std::vector<std::int32_t> places; ///< place of each rank, node by node

  [[nodiscard]] int ranks() const { return nodes * gpus_per_node; }
  /// Returns the costs of the slowest message between two ranks of different nodes (`link`), and of one node
  /// (`inside`). If all links are equal, these are the costs of each.
  [[nodiscard]] FormLinks links(int element_size) const;
};

/// Ranks are the first GPUs of the first nodes. Throws InputErrors.
CollectiveGroup make_group(const CollectiveRequest& request);

} // namespace gradflight
