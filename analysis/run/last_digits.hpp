// Whether a time depends on the last digits of its platform: on ties that rounding decides, or on sharing that
// amplifies small differences (docs/model.md, Engines).
#pragma once

#include "analysis/run/prepared.hpp"

namespace gradflight {

struct RunResult;

/// Returns the relative change of the time if links' bandwidths change by an ulp. Returns 0 if the time does not
/// change, if the computation would take long, or if no change is possible. One stream whose schedule has one lane has
/// no such decisions, unless servers are reactive.
double moved_by_last_digits(const Prepared& prepared, const RunResult& result);

} // namespace gradflight
