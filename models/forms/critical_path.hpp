// A moment of a run, and the parts of the critical path up to it: the algebra of the overlap recurrences.
#pragma once

#include "models/forms/collective_cost.hpp"

namespace gradflight {

/// Seconds since the start; the parts sum to `time`.
struct Moment {
  double time = 0, alpha = 0, beta = 0, gamma = 0;
  double compute = 0; ///< forward, backward, update
  double other = 0;   ///< host costs, merges

  friend constexpr Moment operator+(const Moment& a, const Moment& b) {
    return {a.time + b.time,   a.alpha + b.alpha,     a.beta + b.beta,
            a.gamma + b.gamma, a.compute + b.compute, a.other + b.other};
  }
  friend constexpr Moment operator-(const Moment& a, const Moment& b) { return a + -1.0 * b; }
  friend constexpr Moment operator*(double k, const Moment& a) {
    return {k * a.time, k * a.alpha, k * a.beta, k * a.gamma, k * a.compute, k * a.other};
  }
  static constexpr Moment computing(double seconds) {
    Moment m;
    m.time = m.compute = seconds;
    return m;
  }
  static constexpr Moment working(double seconds) {
    Moment m;
    m.time = m.other = seconds;
    return m;
  }
  static constexpr Moment exchanging(const CollectiveCost& cost) {
    Moment m;
    m.alpha = cost.alpha;
    m.beta = cost.beta;
    m.gamma = cost.gamma;
    m.time = cost.total();
    return m;
  }
};

/// Returns the later moment; the first if both coincide.
constexpr const Moment& later(const Moment& a, const Moment& b) { return b.time > a.time ? b : a; }

} // namespace gradflight
