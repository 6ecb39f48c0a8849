// The links and GPUs that were down while a step waited, with their names in the scenario.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace gradflight {

struct ChangeCost;
struct LinkOutage;
struct RunResult;
struct Scenario;

/// An outage, or several combined ones, and how long messages or ranks waited for it.
struct NamedOutage {
  std::string name; ///< "node1.up, down from 30 ms to 50 ms", "switch rack1, down from ..."
  double seconds = 0;
};

/// Returns the outages of links for which a critical path waited (PathEvents), the longest first. Their seconds sum to
/// `waited`, the path's Part::outage. If none is known, returns one outage, "links that are down". An outage has the
/// name of the change or failure that caused it.
std::vector<NamedOutage> link_outages(const Scenario& scenario, const RunResult& result,
                                      std::span<const LinkOutage> outages, double waited);

/// Returns the outages of GPUs between `from` and `until` (seconds, on the clock of the run) caused by `changes` or
/// failures, the longest first. Their seconds sum to `waited`, the step's PathDetails::down, if there are that many.
/// `costs`: what changes have cost the path in this time. An outage that they do not contain counts only if they
/// contain no outage at all.
std::vector<NamedOutage> gpu_outages(const Scenario& scenario, const RunResult& result, double from, double until,
                                     double waited, std::span<const ChangeCost> costs = {});

} // namespace gradflight
