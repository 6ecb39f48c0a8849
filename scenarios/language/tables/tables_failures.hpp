// Failures during a run, and the recovery from them: `failures` and `recovery` of a scenario.
#pragma once

#include "platforms/code/spec/failure_spec.hpp"
#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/types/recovery.hpp"

namespace gradflight {

const Table<FailureSpec>& failures_table();
const Table<RecoverySpec>& recovery_table();

} // namespace gradflight
