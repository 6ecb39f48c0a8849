// Files that people give to a command that wants others: what they are, and which command takes them.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// One line about a file by its first bytes, "this is iperf's result: ..."; empty: it is none that is known.
std::string other_file(std::string_view begin);

/// Likewise of logs of collective benchmarks, for commands that read none.
std::string benchmark_log(std::string_view begin);

/// Whether a file that begins so is a page (HTML).
bool is_page(std::string_view begin);

/// Whether a file that begins so is what `run --json` prints, of one scenario or a list of several.
bool is_run_result(std::string_view begin);

} // namespace gradflight
