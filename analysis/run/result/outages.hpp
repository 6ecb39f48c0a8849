// What a step has waited for: links and GPUs that were down, by the names that the scenario has for them.
#pragma once

#include <string>
#include <vector>

namespace gradflight {

struct RunResult;
struct Scenario;

/// An outage, or several that are told together, and how long messages or ranks have waited for it.
struct NamedOutage {
  std::string name; ///< "node1.up, down from 30 ms to 50 ms", "switch rack1, down from ..."
  double seconds = 0;
};

/// The outages of links between `from` and `until` that messages of the critical path have waited for, the longest
/// first. Their seconds sum to `waited`, the step's Part::outage. Where the engine names no link there is one, "links
/// that are down". A change or failure that took a link down lends it its name.
std::vector<NamedOutage> link_outages(const Scenario& scenario, const RunResult& result, double from, double until,
                                      double waited);

/// The outages of GPUs between `from` and `until` (seconds) that `changes` or failures have caused, each with how long
/// it was down in this time; the longest first.
std::vector<NamedOutage> gpu_outages(const Scenario& scenario, const RunResult& result, double from, double until);

} // namespace gradflight
