// What a fuzzer asks of the code under test.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace gradflight::fuzz {

/// Ends the fuzzer with a finding, named by `what`, unless `condition` holds.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

} // namespace gradflight::fuzz
