// Sections of a run's page that only some runs have. Internal to analysis/run/run_page.
#pragma once

#include "analysis/run/pages/page.hpp"
#include "analysis/run/result/outcome.hpp"

namespace gradflight {

/// Each function adds nothing if its section would be empty.
void add_iterations(Page& page, const Outcome& outcome);
void add_jobs(Page& page, const Outcome& outcome);
void add_failures(Page& page, const Outcome& outcome);
void add_links(Page& page, const RunResult& result);
void add_changes(Page& page, const Outcome& outcome);
void add_form(Page& page, const Outcome& outcome);

} // namespace gradflight
