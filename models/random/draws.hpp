// Random numbers that are functions of what they are for, the same bits on every machine: integer counters and exact
// comparisons, no logarithms (J. von Neumann, "Various techniques used in connection with random digits", 1951).
#pragma once

#include "models/random/philox.hpp"

#include <cstdint>

namespace gradflight {

/// Uniform numbers in (0, 1), multiples of 2^-53 shifted by half of one: no two machines round them differently. Each
/// (seed, a, b, c) has a sequence of its own.
class Uniforms {
public:
  Uniforms(std::int64_t seed, std::uint32_t a, std::uint32_t b, std::uint32_t c)
      : key0_(static_cast<std::uint32_t>(seed)), key1_(static_cast<std::uint32_t>(seed >> 32)), counter_{0, a, b, c} {}

  double next();

private:
  std::uint32_t key0_, key1_;
  codec::Philox::Words counter_, words_{};
  bool half_left_ = false;
};

/// Mean 1.
double exponential(Uniforms& uniform);
/// Mean 0, standard deviation 1.
double normal(Uniforms& uniform);

/// base^exponent of a base > 0, worked out by integer arithmetic.
double exact_power(double base, double exponent);

/// Weibull's distribution of shape k > 0, with mean 1: E^(1/k) / Gamma(1 + 1/k), E exponential. k = 1 is exponential,
/// smaller shapes fail early, larger ones of age. Powers are worked out by integer arithmetic.
class Weibull {
public:
  explicit Weibull(double shape);
  double draw(Uniforms& uniform) const;

private:
  double shape_, mean_; ///< mean_: Gamma(1 + 1/k)
};

} // namespace gradflight
