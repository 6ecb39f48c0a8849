// The field tables as text: JSON Schema, `explain`, reference page.
#pragma once

#include "scenarios/language/fields/shape.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Returns the JSON Schema (draft 2020-12) of a scenario file. "#/$defs/platform", "#/$defs/workload" and
/// "#/$defs/sweep" are the schemas of other files.
std::string schema_text();

/// Returns the schema of an output document (a result): every key of its tables, and no other. A list of results is
/// also valid; its entries may have the table `failed`.
std::string schema_text(const TableInfo& table, const TableInfo& failed);

/// Returns the text of docs/scenario-reference.md.
std::string reference_text();

/// The same for an output document: a table per object, with units instead of defaults.
std::string reference_text(const TableInfo& table, const std::string& introduction);

/// Explains the key `path`: "training.exchange.algorithm", "workload.layers[].forward", "platform.overrides.0". An
/// empty path means the whole scenario; "sweep" and "sweep.axes" are keys of a sweep file. With `written` (a table of
/// results), also explains its keys that a scenario does not have ("time_s"). All of its keys are under the table's
/// name ("result.engine"). Throws UnknownPath with the nearest name.
std::string explain_text(std::string_view path, const TableInfo* written = nullptr);

class UnknownPath : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns the full paths of keys that end in `word`: "exchange.algorithm" finds "training.exchange.algorithm".
/// Includes the keys of `written`, a table of results, and those of sweeps and packs.
std::vector<std::string> named_keys(const std::string& word, const TableInfo* written = nullptr);

/// The same with a line of documentation for each.
std::string named_keys_text(const std::string& word, const TableInfo* written = nullptr);

/// Returns other keys: with this word in their name, with this value, or with this word in their documentation. A path
/// and a line for each. Includes the keys of `written`, the table of results, if it is not null. Empty if none matches.
std::string search_text(const std::string& word, const TableInfo* written = nullptr);

/// Returns the names of the keys in search_text, and their possible values.
std::vector<std::string> searched_names(const TableInfo* written = nullptr);

} // namespace gradflight
