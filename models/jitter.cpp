#include "models/jitter.hpp"

#include "models/philox.hpp"

namespace gradflight {
namespace {

/// Uniform numbers in (0, 1), multiples of 2^-53 shifted by half of one: no two machines round them differently.
class Uniforms {
public:
  Uniforms(std::int64_t seed, int phase, int rank, std::int64_t iteration)
      : key0_(static_cast<std::uint32_t>(seed)),
        key1_(static_cast<std::uint32_t>(seed >> 32)), counter_{0, static_cast<std::uint32_t>(iteration),
                                                                static_cast<std::uint32_t>(rank),
                                                                static_cast<std::uint32_t>(phase)} {}

  double next() {
    if (!half_left_) {
      words_ = codec::Philox::draw(counter_, key0_, key1_);
      ++counter_[0];
    }
    const std::size_t at = half_left_ ? 2 : 0;
    half_left_ = !half_left_;
    const std::uint64_t bits = (std::uint64_t{words_[at]} << 21) ^ (words_[at + 1] >> 11);
    return (static_cast<double>(bits) + 0.5) * 0x1p-53;
  }

private:
  std::uint32_t key0_, key1_;
  codec::Philox::Words counter_, words_{};
  bool half_left_ = false;
};

/// Each round: the first number of a run that falls until its first rise. An even number of falls takes it; an odd one
/// adds 1 and tries again.
double exponential(Uniforms& uniform) {
  for (double whole = 0;; whole += 1) {
    const double first = uniform.next();
    double last = first, next = uniform.next();
    bool take = true;
    while (next < last) {
      last = next;
      next = uniform.next();
      take = !take;
    }
    if (take) return whole + first;
  }
}

/// A half-normal is an exponential x kept with probability exp(-(x - 1)^2 / 2).
double normal(Uniforms& uniform) {
  for (;;) {
    const double x = exponential(uniform);
    if (exponential(uniform) * 2 < (x - 1) * (x - 1)) continue;
    return uniform.next() < 0.5 ? -x : x;
  }
}

} // namespace

double jitter_factor(const Jitter& jitter, int phase, int rank, std::int64_t iteration) {
  Uniforms uniform(jitter.seed, phase, rank, iteration);
  if (jitter.distribution == Jitter::Distribution::exponential) return 1 + jitter.cv * (exponential(uniform) - 1);
  for (;;) {
    const double factor = 1 + jitter.cv * normal(uniform);
    if (factor > 0 && factor < 2) return factor;
  }
}

} // namespace gradflight
