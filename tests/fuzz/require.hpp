// Assertions of the fuzzers.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace gradflight::fuzz {

/// Ends the fuzzer with the finding `what` if `condition` does not hold.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

} // namespace gradflight::fuzz
