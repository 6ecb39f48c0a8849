// What the literature says that each collective of the catalogue sends. A collective that is not here fails a test.
#pragma once

#include "models/schedules/parts/collective.hpp"

namespace gradflight::test {

struct Expected {
  std::int64_t messages = 0, units = 0; ///< between different places; units: elements or lists
  int alphas = 0;                       ///< the longest chain of messages
  bool at_most = false;                 ///< the chain may be shorter: some ranks need not wait for their round
};

/// Null where the textbook has nothing on this collective.
using Textbook = Expected (*)(const ExchangeSpec& exchange, int p, std::int64_t n);
Textbook textbook(Algorithm algorithm);

} // namespace gradflight::test
