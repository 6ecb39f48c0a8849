// The page of a run: the verdict, where the time goes, who does what when, links, the closed form, the scenario.
#pragma once

#include "analysis/run/result/outcome.hpp"
#include "sim/result/timeline.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct RunPage {
  const Outcome& outcome;
  const Timeline* timeline = nullptr; ///< of this run, of all ranks; null: see `no_timeline`
  std::string no_timeline{};          ///< why there is none, as a sentence
  std::string canonical{};            ///< the scenario with every default explicit
  std::string command{};              ///< the line that made it
};

/// HTML that opens without anything else.
std::string run_page(const RunPage& run);

} // namespace gradflight
