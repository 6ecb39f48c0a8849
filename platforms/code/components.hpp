// The components of a platform that can fail, and the links and places that fail with each.
#pragma once

#include "platforms/code/spec/failure_spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

class Platform;
struct PlatformError;
struct PlatformSpec;

struct Component {
  ComponentKind kind = ComponentKind::node;
  std::int32_t number = 0;            ///< index among those of its kind
  std::string name{};                 ///< "node 3", "GPU 12", "NIC node3.nic1", "link rack0", "switch rack0"
  std::vector<std::int32_t> links{};  ///< they carry nothing while it is down
  std::vector<std::int32_t> places{}; ///< they compute nothing while it is down
  int node = -1;                      ///< the job's node that it is, or is part of; -1: none
};

/// Finds the kinds that have a rate in `failures`, kind by kind. A node is any machine, also of servers: its NICs'
/// cables and its GPUs. A link is a cable: both directions if their names show that they belong together (".up" and
/// ".down", "a->b" and "b->a"). Appends mistakes to `errors`, with pointers into the scenario ("/failures/switches"):
/// kinds that the platform does not name. `spec` is the platform's.
std::vector<Component> find_components(const FailureSpec& failures, const PlatformSpec& spec, const Platform& platform,
                                       std::vector<PlatformError>& errors);

} // namespace gradflight
