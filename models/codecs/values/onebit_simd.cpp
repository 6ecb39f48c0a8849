#include "models/codecs/values/onebit.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/values/onebit_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::onebit::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t most_vectors = 8; ///< vectors of doubles for eight partial sums

Means classify(const float* values, const float* residual, std::size_t count, std::uint8_t* bitmap) {
  const hn::CappedTag<double, 8> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const std::size_t step = hn::Lanes(dd);
  ClassSum negative, other;
  std::size_t i = 0;
  // Each of the eight parts has its own running sum. If vectors are narrow, the sums are in memory between blocks.
  alignas(64) double negatives[most_vectors] = {}, others[most_vectors] = {};
  for (; i + 8 <= count; i += 8) {
    unsigned bits = 0;
    for (std::size_t j = 0; j < 8; j += step) {
      const auto value = hn::LoadU(df, values + i + j);
      const auto total = hn::PromoteTo(dd, residual ? hn::Add(hn::LoadU(df, residual + i + j), value) : value);
      const auto is_other = hn::Ge(total, hn::Zero(dd));
      hn::Store(hn::Add(hn::Load(dd, others + j), hn::IfThenElseZero(is_other, total)), dd, others + j);
      hn::Store(hn::Add(hn::Load(dd, negatives + j), hn::IfThenZeroElse(is_other, total)), dd, negatives + j);
      std::uint8_t mask[8] = {};
      hn::StoreMaskBits(dd, is_other, mask);
      bits |= static_cast<unsigned>(mask[0]) << j;
    }
    bitmap[i / 8] = static_cast<std::uint8_t>(bits);
    other.count += static_cast<std::uint64_t>(std::popcount(bits));
  }
  negative.count = i - other.count;
  for (std::size_t j = 0; j < 8; ++j) {
    negative.part[j] = negatives[j];
    other.part[j] = others[j];
  }
  if (i < count) bitmap[i / 8] = 0;
  for (; i < count; ++i) {
    const float total = residual ? residual[i] + values[i] : values[i];
    ClassSum& sum = total >= 0 ? other : negative;
    sum.part[i % 8] += static_cast<double>(total);
    ++sum.count;
    if (total >= 0) bitmap[i / 8] = static_cast<std::uint8_t>(bitmap[i / 8] | 1u << i % 8);
  }
  return {negative.mean(), other.mean()};
}

void restore(const std::uint8_t* bitmap, std::size_t count, Means means, float* values) {
  const hn::CappedTag<float, 8> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  const std::size_t step = hn::Lanes(df);
  const auto negative = hn::Set(df, means.negative), other = hn::Set(df, means.other);
  alignas(32) static constexpr std::uint32_t bit_of_lane[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto bits = hn::Set(du, std::uint32_t{bitmap[i / 8]});
    for (std::size_t j = 0; j < 8; j += step) {
      const auto set = hn::TestBit(bits, hn::LoadU(du, bit_of_lane + j));
      hn::StoreU(hn::IfThenElse(hn::RebindMask(df, set), other, negative), df, values + i + j);
    }
  }
  scalar::restore(bitmap + i / 8, count - i, means, values + i);
}

void keep(const float* values, float* residual, std::size_t count, Means means) {
  const hn::ScalableTag<float> df;
  const auto negative = hn::Set(df, means.negative), other = hn::Set(df, means.other);
  std::size_t i = 0;
  for (; i + hn::Lanes(df) <= count; i += hn::Lanes(df)) {
    const auto total = hn::Add(hn::LoadU(df, residual + i), hn::LoadU(df, values + i));
    const auto decoded = hn::IfThenElse(hn::Ge(total, hn::Zero(df)), other, negative);
    hn::StoreU(hn::Sub(total, decoded), df, residual + i);
  }
  scalar::keep(values + i, residual + i, count - i, means);
}

} // namespace gradflight::codec::onebit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec::onebit {
HWY_EXPORT(classify);
HWY_EXPORT(restore);
HWY_EXPORT(keep);

namespace simd {
Means classify(const float* values, const float* residual, std::size_t count, std::uint8_t* bitmap) {
  return HWY_DYNAMIC_DISPATCH(classify)(values, residual, count, bitmap);
}
void restore(const std::uint8_t* bitmap, std::size_t count, Means means, float* values) {
  HWY_DYNAMIC_DISPATCH(restore)(bitmap, count, means, values);
}
void keep(const float* values, float* residual, std::size_t count, Means means) {
  HWY_DYNAMIC_DISPATCH(keep)(values, residual, count, means);
}
} // namespace simd
} // namespace gradflight::codec::onebit
#endif
