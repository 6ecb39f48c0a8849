// A plain schedule of the catalogue among ranks on a platform: what their links cost, its chunk, the switch it needs.
#pragma once

#include "models/schedules/operations/group_catalogue.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gradflight {

class Platform;

/// The slowest message between two ranks of different nodes (`link`) and of one node (`inside`): where all are alike,
/// what each of them costs. `places`: of each rank; at least one.
FormLinks links_between(const Platform& platform, std::span<const std::int32_t> places, double element_size);

/// The place of the switch that reduces between all of these ranks: an NVSwitch in one node, the network's switch
/// between nodes with one rank each. None where no switch does.
std::optional<int> reducing_switch(const Platform& platform, std::span<const std::int32_t> places);

/// Why the algorithm cannot carry out `op` between these ranks, in a sentence; empty: it can.
std::string cannot(const GroupAlgorithm& algorithm, Operation op, const Platform& platform,
                   std::span<const std::int32_t> places);

/// The operation on `elements` (GroupSpec counts them) among `ranks`, of which `group_size` consecutive ones share a
/// node; pipelined algorithms take the chunk that is best for a chain on these links.
GroupSpec plain_spec(const GroupAlgorithm& algorithm, Operation op, std::int64_t elements, int ranks, int group_size,
                     const FormLinks& links);

} // namespace gradflight
