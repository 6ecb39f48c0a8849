// Random platforms of all topologies and node kinds. Only for use inside rc::check.
#pragma once

#include "support.hpp"

namespace gradflight::test {

/// Returns a number from `least` to `most`.
int any(int least, int most);
/// Returns a platform with at most `total` nodes, including servers.
PlatformSpec any_network(Topology topology, int total);
/// Returns any topology with GPUs in its nodes; `extra` nodes become servers.
PlatformSpec any_platform(int& extra);

} // namespace gradflight::test
