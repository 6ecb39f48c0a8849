// The process group of a collective: ranks on GPUs of a platform, and what their links cost.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"
#include "models/schedules/operations/parts/group_form.hpp"
#include "platforms/code/platform.hpp"

namespace gradflight {

struct CollectiveGroup {
  PlatformSpec spec;
  Platform platform;
  std::string name; ///< of the platform
  int nodes = 0, gpus_per_node = 0;
  std::vector<std::int32_t> places; ///< of each rank: node by node

  [[nodiscard]] int ranks() const { return nodes * gpus_per_node; }
  /// The slowest message between two ranks of different nodes (`link`) and of one node (`inside`): where all are alike,
  /// what each of them costs.
  [[nodiscard]] FormLinks links(int element_size) const;
};

/// Ranks are the first GPUs of the first nodes. Throws InputErrors.
CollectiveGroup make_group(const CollectiveRequest& request);

} // namespace gradflight
