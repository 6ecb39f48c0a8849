// Describes a failed simulation: the failure, the blocked ranks, and what they wait for.
#pragma once

#include "sim/result/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {
class SimulationFailure;

/// Returns all known facts, one per line, with a newline at the end.
std::string failure_text(const SimulationFailure& failure);
/// Returns one line with only the first blocked stream; `count` is the number of blocked streams.
std::string failure_line(const std::string& what, const std::vector<Blocked>& blocked, std::int64_t count);

} // namespace gradflight
