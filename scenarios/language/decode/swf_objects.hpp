// A trace in the Standard Workload Format (Chapin et al., JSSPP 1999; the Parallel Workloads Archive's version 2.2) as
// the list of jobs that a queue reads.
#pragma once

#include "scenarios/language/json/sources.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// A job a line, 18 numbers, of which these count: its number (`name`), submit time (`arrival`), run time (`run_time`;
/// one iteration where it is 0), processors asked for or, where that is not known, used (`gpus`), time asked for
/// (`estimate`). What is not known (-1) is a key that is not there. Lines that begin with ; are passed over, and so are
/// jobs that failed or were cancelled (status 0 or 5) before they ran. Rows of another length, and fields that are no
/// numbers, become problems, told at `pointer`, and are left out. No list: there is no job.
std::optional<Node> swf_objects(std::string_view text, int file, const std::string& pointer,
                                std::vector<Problem>& problems);

} // namespace gradflight
