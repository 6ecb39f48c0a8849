// Steps that differ because of what happens during the run: which is the slowest, and what made it so.
#pragma once

#include "analysis/run/result/change_rows.hpp"

#include <string>
#include <vector>

namespace gradflight {

class Platform;
struct RunResult;
struct Scenario;

/// "Step 1 of 3 is the slowest, 809 ms (waiting for node2.up, down from 0.5 s to 0.8 s: 300 ms); ...": in front of the
/// verdict. Empty where steps are alike, or where nothing that is known made them differ. `came`: changes_until() of
/// the run. The platform is the one that the run had. Where only every k-th step exchanges, it has the mean of a cycle:
/// "One of 2 steps exchanges gradients. A step takes 200 ms on average, ...". Steps that other traffic alone makes
/// differ are alike up to a tenth.
///
/// The causes are the parts of the critical path that took longer in the slowest step than in the fastest: outages,
/// other traffic, slow ranks, and the changes that made the links or GPUs worse that these parts are about.
std::string uneven_steps_text(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came,
                              const RunResult& result);

} // namespace gradflight
