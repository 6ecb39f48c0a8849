// The field table of a machine: `node` of a platform.
#pragma once

#include "platforms/code/spec/node_spec.hpp"
#include "scenarios/language/fields/table.hpp"

namespace gradflight {

const Table<NodeSpec>& node_table();

} // namespace gradflight
