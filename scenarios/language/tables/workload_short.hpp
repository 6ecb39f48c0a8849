// Workloads in short: what `parameters`, `step` and `gpu` stand for.
#pragma once

#include "scenarios/language/fields/value.hpp"
#include "scenarios/language/tables/workload_form.hpp"

namespace gradflight {

/// "335M": a whole number, or a text of one with k, M, B or T (10^3 to 10^12).
Value<std::int64_t> parameter_count(std::int64_t most);

/// A GPU of the catalogue whose rate and memory are known.
Value<std::string> gpu_name();

/// Layers of `parameters`, and a `compute` that says what `step` or `gpu` do; what contradicts is told to the decoder.
WorkloadForm spelled_out(WorkloadForm form, const Node& node, Decoder& decoder);

} // namespace gradflight
