// A failed simulation in words: what failed, which ranks are blocked, and on what.
#pragma once

#include <string>

namespace gradflight {
class SimulationFailure;
}

namespace gradflight {

/// All that is known, a line each, ending in a newline.
std::string failure_text(const SimulationFailure& failure);
/// The same in one line, with the first blocked stream only.
std::string failure_line(const SimulationFailure& failure);

} // namespace gradflight
