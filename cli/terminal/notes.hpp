// Shared code of commands that read logs: notes on skipped parts, and names of element types.
#pragma once

#include "scenarios/language/json/diagnostics.hpp"

#include <string>
#include <vector>

namespace gradflight::cli {

/// Prints to standard error: "x.log:12:1: note: a row of size 0 is left out; 4 more like it".
void print_notes(const std::vector<Diagnostic>& notes);

/// Returns "--type bfloat61: there is no such type; did you mean "bfloat16"? Allowed: ...".
std::string unknown_type(const std::string& name);

} // namespace gradflight::cli
