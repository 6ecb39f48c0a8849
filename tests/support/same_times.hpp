// The agreement of both engines, as an assertion of a property.
#pragma once

#include "tests/support/forked.hpp"

#include <cmath>
#include <rapidcheck.h>

namespace gradflight::test {

/// Neither failed; times, iterations and critical paths agree to 1e-9, and messages exactly.
inline void assert_same_times(const ForkedRun& hybrid, const ForkedRun& reference) {
  RC_LOG() << "hybrid " << hybrid.time << " " << hybrid.message << " reference " << reference.time << " "
           << reference.message << "\n";
  const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-9 * b; };
  RC_ASSERT(!hybrid.failed);
  RC_ASSERT(!reference.failed);
  RC_ASSERT(close(hybrid.time, reference.time));
  RC_ASSERT(hybrid.messages == reference.messages);
  RC_ASSERT(hybrid.ends.size() == reference.ends.size());
  for (std::size_t i = 0; i < hybrid.ends.size(); ++i) RC_ASSERT(close(hybrid.ends[i], reference.ends[i]));
  RC_ASSERT(close(sum(hybrid.path), hybrid.time));
  RC_ASSERT(close(sum(reference.path), reference.time));
}

} // namespace gradflight::test
