// The messages of each collective in the catalogue according to the literature. A collective without an entry fails a
// test.
#pragma once

#include "models/schedules/parts/collective.hpp"

#include <bit>

namespace gradflight::test {

/// Returns the smallest k with 2^k >= p. p >= 1.
constexpr int ceil_log2(int p) { return static_cast<int>(std::bit_width(static_cast<unsigned>(p - 1))); }

struct Expected {
  std::int64_t messages = 0, units = 0; ///< between different places; units are elements or lists
  int alphas = 0;                       ///< the longest chain of messages
  bool at_most = false;                 ///< the chain may be shorter, because some ranks need not wait for their round
};

/// Null if the literature has no entry for this collective.
using Textbook = Expected (*)(const ExchangeSpec& exchange, int p, std::int64_t n);
Textbook textbook(Algorithm algorithm);

} // namespace gradflight::test
