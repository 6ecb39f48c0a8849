// 1-bit quantisation with the least squared error (3LC's "MQE 1-bit int", Sec. 4.2; after Seide et al. 2014) per
// tensor. Wire format: the mean of the negative values, the mean of the others, then one bit per value (1: not
// negative), lowest first.
#pragma once

#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec::onebit {

/// Means of the two classes; 0 for an empty class.
struct Means {
  float negative = 0, other = 0;
};

// T = residual + value (only the value if `residual` is null). Sums use double in the same order on every machine:
// eight partial sums by index mod 8, then added in pairs.
namespace scalar {
/// Writes the bitmap, ceil(count / 8) bytes, and returns the means.
Means classify(const float* values, const float* residual, std::size_t count, std::uint8_t* bitmap);
void restore(const std::uint8_t* bitmap, std::size_t count, Means means, float* values);
/// residual = T - decoded
void keep(const float* values, float* residual, std::size_t count, Means means);
} // namespace scalar

namespace simd {
Means classify(const float* values, const float* residual, std::size_t count, std::uint8_t* bitmap);
void restore(const std::uint8_t* bitmap, std::size_t count, Means means, float* values);
void keep(const float* values, float* residual, std::size_t count, Means means);
} // namespace simd

/// Eight partial sums of a class, its number of values, and its mean.
struct ClassSum {
  double part[8] = {};
  std::uint64_t count = 0;
  [[nodiscard]] float mean() const {
    if (count == 0) return 0;
    const double sum = ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
    return static_cast<float>(sum / static_cast<double>(count));
  }
};

std::unique_ptr<Codec> make(Implementation implementation);

} // namespace gradflight::codec::onebit
