// Converts a trace in the Standard Workload Format to the list of jobs for a queue (Chapin et al., JSSPP 1999; version
// 2.2 of the Parallel Workloads Archive).
#pragma once

#include "scenarios/language/json/sources.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Each line is a job with 18 numbers. The function uses the job number (`name`), submit time (`arrival`), run time
/// (`run_time`; one iteration if it is 0) and requested time (`estimate`). It also uses the number of requested
/// processors, or of used ones if that is unknown (`gpus`). Unknown values (-1) become missing keys. Lines that begin
/// with ; are ignored, and so are jobs that failed or were cancelled (status 0 or 5) before they ran. Rows of another
/// length, and fields that are not numbers, become problems, reported at `pointer`, and are left out. Returns nothing
/// if no job remains.
std::optional<Node> swf_objects(std::string_view text, int file, const std::string& pointer,
                                std::vector<Problem>& problems);

} // namespace gradflight
