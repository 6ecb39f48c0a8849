// A plain schedule of the catalogue on a platform's ranks: the costs of their links, its chunk, the switch it needs.
#pragma once

#include "models/schedules/make_schedule.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gradflight {

class Platform;

/// Returns the slowest message between two ranks of different nodes (`link`) and of one node (`inside`). If all links
/// are alike, that is the cost of each. `places`: of each rank; at least one.
FormLinks links_between(const Platform& platform, std::span<const std::int32_t> places, double element_size);

/// Returns the place of the switch that reduces between all of these ranks: an NVSwitch in one node, the network's
/// switch between nodes with one rank each. Returns nothing if no switch does.
std::optional<int> reducing_switch(const Platform& platform, std::span<const std::int32_t> places);

/// Returns a sentence that says why the algorithm cannot carry out `op` between these ranks; empty if it can.
std::string cannot(const Collective& algorithm, Operation op, const Platform& platform,
                   std::span<const std::int32_t> places);

/// Returns the operation on `elements` (counted as in GroupSpec) among `ranks`, with `group_size` consecutive ranks per
/// node. Pipelined algorithms take the best chunk for a chain on these links.
GroupSpec plain_spec(const Collective& algorithm, Operation op, std::int64_t elements, int ranks, int group_size,
                     const FormLinks& links);

} // namespace gradflight
