// The effects of failures on a job, in a report.
#pragma once

#include "analysis/run/result/outcome.hpp"
#include "analysis/run/text/report_text.hpp"

namespace gradflight {

/// Returns the cause of lost time, such as "fewer nodes".
std::string loss_words(Loss loss);

/// Adds nothing if nothing can fail.
void put_failures(ReportText& text, const Outcome& outcome);

} // namespace gradflight
