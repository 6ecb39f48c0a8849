#include "models/random/draws.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace gradflight {

double Uniforms::next() {
  if (!half_left_) {
    words_ = codec::Philox::draw(counter_, key0_, key1_);
    ++counter_[0];
  }
  const std::size_t at = half_left_ ? 2 : 0;
  half_left_ = !half_left_;
  const std::uint64_t bits = (std::uint64_t{words_[at]} << 21) ^ (words_[at + 1] >> 11);
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

/// Each round draws numbers while they fall. If the number of falls is even, the result is the first number plus the
/// count of earlier rounds. If it is odd, another round follows.
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

/// A half-normal number is an exponential x, accepted with probability exp(-(x - 1)^2 / 2).
double normal(Uniforms& uniform) {
  for (;;) {
    const double x = exponential(uniform);
    if (exponential(uniform) * 2 < (x - 1) * (x - 1)) continue;
    return uniform.next() < 0.5 ? -x : x;
  }
}

namespace {
/// The standard library's powers differ in the last bit between processors. These use integer arithmetic.
using Soft = boost::multiprecision::cpp_bin_float_double_extended;
} // namespace

double exact_power(double base, double exponent) { return static_cast<double>(Soft(pow(Soft(base), Soft(exponent)))); }

Weibull::Weibull(double shape)
    : shape_(shape), mean_(shape == 1 ? 1 : static_cast<double>(boost::math::tgamma(Soft(1 + 1 / Soft(shape))))) {}

double Weibull::draw(Uniforms& uniform) const {
  const double e = exponential(uniform);
  if (shape_ == 1) return e;
  return static_cast<double>(Soft(pow(Soft(e), 1 / Soft(shape_)))) / mean_;
}

} // namespace gradflight
