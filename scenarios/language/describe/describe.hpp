// The field tables as text: JSON Schema, `explain`, reference page.
#pragma once

#include "scenarios/language/fields/shape.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// JSON Schema (draft 2020-12) of a scenario file; "#/$defs/platform", "#/$defs/workload" and "#/$defs/sweep" are those
/// of the others.
std::string schema_text();

/// Of a document that is written (a result): every key of its tables, and no other. A list of several is such a
/// document, too, and an entry of it may be of the table `failed`.
std::string schema_text(const TableInfo& table, const TableInfo& failed);

/// docs/scenario-reference.md.
std::string reference_text();

/// The same for a document that is written: a table for each object, with units in place of defaults.
std::string reference_text(const TableInfo& table, const std::string& introduction);

/// What `path` means: "training.exchange.algorithm", "workload.layers[].forward", "platform.overrides.0"; empty: the
/// whole scenario; "sweep" and "sweep.axes" for a sweep file. With a table of what is written, also its keys where a
/// scenario has none of that name ("time_s"), and all of them under the table's name ("result.engine"). Throws
/// UnknownPath with the nearest name.
std::string explain_text(std::string_view path, const TableInfo* written = nullptr);

class UnknownPath : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keys that are called so, take such a value, or whose documentation speaks of the word, a path and a line each; of
/// the result, too, where `written` is its table. Empty: none.
std::string search_text(const std::string& word, const TableInfo* written = nullptr);

/// Names of the keys that search_text looks at, and the texts that they may hold.
std::vector<std::string> searched_names(const TableInfo* written = nullptr);

} // namespace gradflight
