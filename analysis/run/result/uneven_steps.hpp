// Steps that differ because of changes during the run: which is the slowest, and what made it so.
#pragma once

#include "platforms/code/spec/change_spec.hpp"

#include "analysis/run/result/change_rows.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct RunResult;

/// "Step 1 of 3 is the slowest, 809 ms (waiting for node2.up, down from 0.5 s to 0.8 s: 300 ms); ...": in front of the
/// verdict. Empty where steps are alike or no change tells them apart. `came`: changes_until() of the run.
///
/// The cause is the outage that the slowest step has waited for; else the change that was in force for more of it than
/// of the fastest step; else the one that came later and made the others faster.
std::string uneven_steps_text(const std::vector<ChangeSpec>& changes, const std::vector<ChangeRow>& came,
                              const RunResult& result);

} // namespace gradflight
