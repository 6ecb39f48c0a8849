// The field tables as text: JSON Schema, `explain`, reference page.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace gradflight {

/// JSON Schema (draft 2020-12) of a scenario file; "#/$defs/platform", "#/$defs/workload" and "#/$defs/sweep" are those
/// of the others.
std::string schema_text();

/// docs/scenario-reference.md.
std::string reference_text();

/// What `path` means: "training.exchange.algorithm", "workload.layers[].forward", "platform.overrides.0"; empty: the
/// whole scenario; "sweep" and "sweep.axes" for a sweep file. Throws UnknownPath with the nearest name.
std::string explain_text(std::string_view path);

class UnknownPath : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace gradflight
