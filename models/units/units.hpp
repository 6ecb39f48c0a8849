// Typed physical quantities: seconds, bytes, bytes per second, floating-point operations and their rate.
//
// A quantity is one double in the base unit that its type names. Adding two different quantities does not compile, and
// neither does passing the wrong one (tests/compile_fail). unit_text.hpp reads and writes text with units.
#pragma once

#include <compare>
#include <cstdint>

namespace gradflight {

template <class Dimension> class Quantity {
public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}

  /// The number in the base unit: s, B, B/s, FLOP or FLOP/s.
  [[nodiscard]] constexpr double value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

private:
  double value_ = 0;
};

using Seconds = Quantity<struct SecondsDimension>;
using Bytes = Quantity<struct BytesDimension>;
using ByteRate = Quantity<struct ByteRateDimension>;
using Flops = Quantity<struct FlopsDimension>;
using FlopRate = Quantity<struct FlopRateDimension>;
using SecondsPerByte = Quantity<struct SecondsPerByteDimension>;

constexpr Seconds operator/(Bytes b, ByteRate r) { return Seconds(b.value() / r.value()); }
constexpr ByteRate operator/(Bytes b, Seconds t) { return ByteRate(b.value() / t.value()); }
constexpr Bytes operator*(ByteRate r, Seconds t) { return Bytes(r.value() * t.value()); }
constexpr Seconds operator/(Flops f, FlopRate r) { return Seconds(f.value() / r.value()); }
constexpr FlopRate operator/(Flops f, Seconds t) { return FlopRate(f.value() / t.value()); }
constexpr Seconds operator*(SecondsPerByte c, Bytes b) { return Seconds(c.value() * b.value()); }
constexpr Seconds operator*(Bytes b, SecondsPerByte c) { return c * b; }

/// A value is a 4-byte float for codecs and compressing NICs, and by default in a gradient (docs/units.md).
inline constexpr int element_bytes = 4;
/// Returns the bytes of elements of `width` bytes each, before any compression.
constexpr double dense_bytes(std::int64_t elements, int width = element_bytes) {
  return static_cast<double>(elements) * width;
}

} // namespace gradflight
