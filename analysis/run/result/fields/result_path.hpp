// The values of a result by name. A name is the path of the value in the result object, joined by dots: "time_s",
// "breakdown.alpha_s", "iterations.3.end_s", "links.node0.up.busy_s" (a link's name may hold dots), "links.0.busy_s",
// "data.push.ratio".
#pragma once

#include "analysis/run/result/fields/result_table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// What may be named: everything that says something of the run (no labels), or numbers alone.
enum class Named { values, numbers };

struct ResultName {
  ResultPath path;
  const FieldInfo* field = nullptr; ///< of the value; null: see `error`
  std::string error;                ///< what is wrong with the name, and the nearest one that exists
};

/// Decides by the table alone: which links and iterations there are is not known yet.
ResultName find_name(const ResultTableInfo& table, std::string_view name, Named named);

/// Why no run of this scenario has the value; empty: it may.
std::string why_missing(const ResultTableInfo& table, const ResultPath& path, const PlannedRun& run);

/// The name of each value, in the order of the tables, with item 0 of each list.
std::vector<std::string> value_names(const ResultTableInfo& table, Named named);

} // namespace gradflight
