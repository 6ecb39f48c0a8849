// The field tables of a network between nodes.
#pragma once

#include "platforms/code/spec/spec.hpp"
#include "scenarios/language/fields/table.hpp"

namespace gradflight {

/// For nodes with one cable each.
const Table<NetworkSpec>& network_table();
/// For machines with NICs described by `node`.
const Table<NetworkSpec>& node_network_table();

} // namespace gradflight
