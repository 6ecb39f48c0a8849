// The things of a platform that fail: which links and places each takes with it.
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
  std::int32_t number = 0;            ///< among those of its kind
  std::string name{};                 ///< "node 3", "GPU 12", "NIC node3.nic1", "link rack0", "switch rack0"
  std::vector<std::int32_t> links{};  ///< that carry nothing while it is down
  std::vector<std::int32_t> places{}; ///< that compute nothing while it is down
  int node = -1;                      ///< it is, or is part of, this node of the job's; -1: of none
};

/// Of the kinds that `failures` has a rate for, kind by kind. A node is every machine, servers' included: its NICs'
/// cables and its GPUs. A link is a cable, both directions where their names tell that they belong together (".up" and
/// ".down", "a->b" and "b->a"). Appends what is wrong to `errors`, with pointers into the scenario
/// ("/failures/switches"): kinds of which the platform has none by name. `spec` is the platform's.
std::vector<Component> find_components(const FailureSpec& failures, const PlatformSpec& spec, const Platform& platform,
                                       std::vector<PlatformError>& errors);

} // namespace gradflight
