// The values of a result by name. A name is the path of the value in the result object, joined by dots. Examples are
// "time_s", "breakdown.alpha_s", "iterations.3.end_s", "links.node0.up.busy_s" (a link's name may contain dots),
// "links.0.busy_s" and "data.push.ratio".
#pragma once

#include "analysis/run/result/fields/result_table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// The allowed values: all values of the run without labels, or only numbers.
enum class NameKind { values, numbers };

struct ResultName {
  ResultPath path;
  const FieldInfo* field = nullptr; ///< field of the value; null: see `error`
  std::string error;                ///< the mistake in the name, and the nearest existing one
};

/// Decides from the table alone, because links and iterations are not known yet.
ResultName find_name(const ResultTableInfo& table, std::string_view name, NameKind kind);

/// Returns why no run of this scenario has the value; empty: a run may have it.
std::string why_missing(const ResultTableInfo& table, const ResultPath& path, const PlannedRun& run);

/// Returns the name of each value in the order of the tables, with item 0 of each list.
std::vector<std::string> value_names(const ResultTableInfo& table, NameKind kind);

} // namespace gradflight
