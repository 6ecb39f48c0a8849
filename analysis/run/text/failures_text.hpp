// What failures did to a job, in a report.
#pragma once

#include "analysis/run/result/outcome.hpp"
#include "analysis/run/text/report_text.hpp"

namespace gradflight {

/// What time was lost to: "fewer nodes".
std::string loss_words(Loss loss);

/// Nothing where nothing can fail.
void put_failures(ReportText& text, const Outcome& outcome);

} // namespace gradflight
