// How the time of one computation varies between ranks and iterations.
//
// A synchronous step waits for its slowest rank, so its mean wait grows with the spread of the compute times and with
// the number of ranks. For p ranks the expected maximum is mean + spread * (H_p - 1) if the spread is exponential (H_p
// is the p-th harmonic number). It is about mean + spread * sqrt(2 ln p) if the spread is normal.
#pragma once

#include <cstdint>

namespace gradflight {

struct Jitter {
  enum class Distribution { exponential, normal };
  Distribution distribution = Distribution::exponential;
  double cv = 0; ///< coefficient of variation: standard deviation over mean, in (0, 1]
  std::int64_t seed = 0;
};

/// Returns the factor of a computation's time, above 0, with mean 1 and standard deviation cv. exponential: 1 - cv + cv
/// E, E exponential with mean 1 (most are slightly fast, few are late). normal: 1 + cv Z, with a new draw if Z is not
/// within +-1 / cv. The result depends only on the arguments. Integer counters and exact comparisons give the same bits
/// on every machine (draws.hpp).
double jitter_factor(const Jitter& jitter, int phase, int rank, std::int64_t iteration);

} // namespace gradflight
