// How the time of one computation varies from rank to rank and from iteration to iteration.
//
// A synchronous step waits for its slowest rank, so its mean wait grows with the spread of the compute times and with
// the number of ranks: for p ranks the expected maximum is mean + spread * (H_p - 1) where the spread is exponential
// (H_p the p-th harmonic number), and about mean + spread * sqrt(2 ln p) where it is normal.
#pragma once

#include <cstdint>

namespace gradflight {

struct Jitter {
  enum class Distribution { exponential, normal };
  Distribution distribution = Distribution::exponential;
  double cv = 0; ///< coefficient of variation: standard deviation over mean, in (0, 1]
  std::int64_t seed = 0;
};

/// What a computation's time is multiplied by: mean 1, standard deviation cv, above 0. exponential: 1 - cv + cv E, E
/// exponential with mean 1 (most are a little fast, few are late). normal: 1 + cv Z, drawn anew where Z is not within
/// +-1 / cv. A function of its arguments alone, by integer counters and exact comparisons: the same bits on every
/// machine (draws.hpp).
double jitter_factor(const Jitter& jitter, int phase, int rank, std::int64_t iteration);

} // namespace gradflight
