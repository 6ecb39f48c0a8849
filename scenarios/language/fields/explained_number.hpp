// A number with a range that needs an explanation.
#pragma once

#include "scenarios/language/fields/value.hpp"

namespace gradflight {

/// A number in the range of `shape`. Messages and references show `explanation` behind the range, for example
/// "a number of at least 0 and below 1 (a fraction: 0.05 means 5 %)".
Value<double> explained_number(Shape shape, std::string explanation);

} // namespace gradflight
