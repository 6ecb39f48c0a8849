// What became of a list of jobs that waited for GPUs, in a report.
#pragma once

#include "analysis/run/text/report_text.hpp"

namespace gradflight {

struct RunResult;

/// The jobs that waited longest, and all of them together. `result.queue` is there.
void put_queue(ReportText& text, const RunResult& result);

} // namespace gradflight
