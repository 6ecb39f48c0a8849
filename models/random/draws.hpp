// Random numbers as functions of their purpose, with the same bits on every machine: integer counters and exact
// comparisons, no logarithms (J. von Neumann, "Various techniques used in connection with random digits", 1951).
#pragma once

#include "models/random/philox.hpp"

#include <cstdint>

namespace gradflight {

/// Uniform numbers in (0, 1): multiples of 2^-53, shifted by half a step. They round identically on all machines. Each
/// (seed, a, b, c) has its own sequence.
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

/// Exponential with mean 1.
double exponential(Uniforms& uniform);
/// Normal with mean 0 and standard deviation 1.
double normal(Uniforms& uniform);

/// Returns base^exponent for base > 0, computed with integer arithmetic.
double exact_power(double base, double exponent);

/// Weibull distribution of shape k > 0 with mean 1: E^(1/k) / Gamma(1 + 1/k), E exponential. k = 1 is exponential.
/// Smaller shapes model early failures, and larger ones model wear. Powers are computed with integer arithmetic.
class Weibull {
public:
  explicit Weibull(double shape);
  double draw(Uniforms& uniform) const;

private:
  double shape_, mean_; ///< mean_: Gamma(1 + 1/k)
};

} // namespace gradflight
