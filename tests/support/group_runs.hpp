// Runs an operation of a process group on a platform, with either engine.
#pragma once

#include "scenarios/language/types/scenario.hpp"
#include "sim/group/simulate_group.hpp"

namespace gradflight::test {

struct GroupOutcome {
  double time = 0, wire_bytes = 0;
  std::int64_t messages = 0;
};

GroupOutcome run_group(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);
/// The reference: every transfer is a plain S4U Comm, in a child process. Throws std::runtime_error if it fails.
GroupOutcome run_group_on_simgrid(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

} // namespace gradflight::test
