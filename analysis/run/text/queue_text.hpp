// The results of a list of jobs that waited for GPUs, in a report.
#pragma once

#include "analysis/run/text/report_text.hpp"

namespace gradflight {

struct RunResult;

/// Adds the jobs with the longest waiting times, and all jobs together. `result.queue` must be set.
void put_queue(ReportText& text, const RunResult& result);

} // namespace gradflight
