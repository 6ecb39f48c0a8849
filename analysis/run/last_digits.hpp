// Whether a time hangs on the last digits of its platform: on ties that rounding decides, or on sharing that amplifies
// it (docs/model.md, Engines).
#pragma once

#include "analysis/run/prepared.hpp"

namespace gradflight {

struct RunResult;

/// By how much the time moves where links' bandwidths move by an ulp, relative; 0 where it does not, or where it would
/// take long to know, or cannot be: one stream, reactive servers aside, has nothing to decide.
double moved_by_last_digits(const Prepared& prepared, const RunResult& result);

} // namespace gradflight
