// The result object (docs/model.md, "What the numbers of a result mean"): the shape that scripts outside the repository read.
//
// Every quantity carries its unit in its name; times are seconds. Nothing in it depends on the machine, the clock or
// the day (those live in meta.json), so two runs of one scenario write the same bytes.
//
// "iterations" has an entry for each iteration up to 10,000 of them; beyond that the first and the last 5,000, with
// their number left out in "iterations_omitted" (0 otherwise). "iteration" counts from 0 over all phases; "phase" is
// present where a scenario has several.
#pragma once

#include "analysis/result/outcome.hpp"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

inline constexpr std::size_t iterations_kept = 10'000;

/// The object as a value, keys in their order.
nlohmann::ordered_json result_object(const Outcome& outcome);

/// The whole object as text, ending in a newline.
std::string result_json(const Outcome& outcome);

} // namespace gradflight
