// Many simulations, some at a time, told of in order.
#pragma once

#include "analysis/runs/child.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace gradflight {
struct Prepared;

/// Those that this process may run on.
int usable_cores();

/// Runs each case in a process of its own, at most `jobs` at a time, and calls `report` with its index in the order of
/// the cases, as soon as all before it have been reported.
void simulate_in_order(const std::vector<const Prepared*>& cases, int jobs,
                       const std::function<void(std::size_t index, ChildAnswer answer)>& report);

} // namespace gradflight
