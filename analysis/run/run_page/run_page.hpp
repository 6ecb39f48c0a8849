// The page of a run: verdict, time of each part, timeline of ranks, links, closed form, scenario.
#pragma once

#include "analysis/run/result/outcome.hpp"
#include "sim/result/timeline.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct RunPage {
  const Outcome& outcome;
  const Timeline* timeline = nullptr; ///< of this run, with all ranks; null: see `no_timeline`
  std::string no_timeline{};          ///< the reason for a missing timeline, as a sentence
  std::string canonical{};            ///< the scenario with every default explicit
  std::string command{};              ///< the command line that made the page
};

/// Returns self-contained HTML.
std::string run_page(const RunPage& run);

} // namespace gradflight
