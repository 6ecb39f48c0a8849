#include "models/random/jitter.hpp"

#include "models/random/draws.hpp"

namespace gradflight {

double jitter_factor(const Jitter& jitter, int phase, int rank, std::int64_t iteration) {
  Uniforms uniform(jitter.seed, static_cast<std::uint32_t>(iteration), static_cast<std::uint32_t>(rank),
                   static_cast<std::uint32_t>(phase));
  if (jitter.distribution == Jitter::Distribution::exponential) return 1 + jitter.cv * (exponential(uniform) - 1);
  for (;;) {
    const double factor = 1 + jitter.cv * normal(uniform);
    if (factor > 0 && factor < 2) return factor;
  }
}

} // namespace gradflight
