// The field tables of a network between nodes.
#pragma once

#include "platforms/code/spec/spec.hpp"
#include "scenarios/language/fields/table.hpp"

namespace gradflight {

/// Of nodes with one cable each.
const Table<NetworkSpec>& network_table();
/// Of machines whose `node` says what NICs they have.
const Table<NetworkSpec>& node_network_table();

} // namespace gradflight
