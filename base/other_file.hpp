// Identifies files of the wrong kind: what they are, and which command accepts them.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// The beginning of each timeline that `run` writes in Chrome's format (JSON).
inline constexpr std::string_view timeline_opening = "{\"otherData\":{\"tool\":\"gradflight\"";

/// Returns a line that identifies a file by its first bytes, "this is iperf's result: ..."; empty if it is unknown.
std::string other_file(std::string_view begin);

/// The same for packed files alone.
std::string packed_file(std::string_view begin);

/// The same for logs of collective benchmarks, and for our own tables of collectives, for commands that read no logs.
std::string benchmark_log(std::string_view begin);

/// The same for scenarios and platforms, for commands that read no JSON of ours.
std::string own_file(std::string_view begin);

/// Whether a file with these first bytes is a web page (HTML).
bool is_page(std::string_view begin);

/// Whether a file with these first bytes is output of `run --json`, for one scenario or a list of several.
bool is_run_result(std::string_view begin);

} // namespace gradflight
