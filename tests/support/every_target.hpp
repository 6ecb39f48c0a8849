// Runs a check with each instruction set of this machine.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <hwy/targets.h>

namespace gradflight::test {

/// Restores the choice at the end.
template <class Check> void on_every_target(Check check) {
  const std::int64_t available = hwy::SupportedTargets();
  for (std::int64_t rest = available; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    INFO(hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

} // namespace gradflight::test
