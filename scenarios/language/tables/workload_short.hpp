// Short workloads: the keys `parameters`, `step` and `gpu`.
#pragma once

#include "scenarios/language/fields/value.hpp"
#include "scenarios/language/tables/workload_form.hpp"

namespace gradflight {

/// "335M": a whole number, or text of a number with k, M, B or T (10^3 to 10^12).
Value<std::int64_t> parameter_count(std::int64_t most);

/// A GPU of the catalogue with known rate and memory.
Value<std::string> gpu_name();

/// Returns the form with layers for `parameters`, and a `compute` for `step` or `gpu`. Reports contradictions to the
/// decoder.
WorkloadForm spelled_out(WorkloadForm form, const Node& node, Decoder& decoder);

} // namespace gradflight
