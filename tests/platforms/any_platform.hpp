// Platforms at random, of all topologies and node kinds. Inside of rc::check only.
#pragma once

#include "support.hpp"

namespace gradflight::test {

/// A number from `least` to `most`.
int any(int least, int most);
/// A platform of `total` nodes at most, servers included.
PlatformSpec any_network(Topology topology, int total);
/// Any topology, with GPUs in its nodes; `extra` of these become servers.
PlatformSpec any_platform(int& extra);

} // namespace gradflight::test
