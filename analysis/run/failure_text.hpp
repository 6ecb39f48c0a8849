// A failed simulation in words: what failed, which ranks are blocked, and on what.
#pragma once

#include "sim/result/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {
class SimulationFailure;

/// All that is known, a line each, ending in a newline.
std::string failure_text(const SimulationFailure& failure);
/// The same in one line, with the first blocked stream only; `count`: all that are blocked.
std::string failure_line(const std::string& what, const std::vector<Blocked>& blocked, std::int64_t count);

} // namespace gradflight
