#include "models/codecs/parts/magnitude.hpp"

#include "models/codecs/parts/bits.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/parts/magnitude.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint32_t largest_key(const float* values, const float* residual, std::size_t count) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const std::size_t step = hn::Lanes(df);
  const auto key_bits = hn::Set(di, 0x7fffffff);
  auto first = hn::Zero(di), second = hn::Zero(di);
  const auto key_at = [&](std::size_t i) {
    const auto value = hn::LoadU(df, values + i);
    return hn::And(hn::BitCast(di, residual ? hn::Add(hn::LoadU(df, residual + i), value) : value), key_bits);
  };
  std::size_t i = 0;
  for (; i + 2 * step <= count; i += 2 * step) {
    first = hn::Max(first, key_at(i));
    second = hn::Max(second, key_at(i + step));
  }
  const auto vectors = static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(di, hn::Max(first, second))));
  return std::max(vectors, scalar::largest_key(values + i, residual ? residual + i : nullptr, count - i));
}

void accumulate_into(float* HWY_RESTRICT sums, const float* HWY_RESTRICT values, std::size_t count) {
  const hn::ScalableTag<float> d;
  const auto nan = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<decltype(d)>(), quiet_nan_bits));
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto sum = hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, values + i));
    hn::StoreU(hn::IfThenElse(hn::Eq(sum, sum), sum, nan), d, sums + i);
  }
  scalar::accumulate_into(sums + i, values + i, count - i);
}

} // namespace gradflight::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec {
HWY_EXPORT(largest_key);
HWY_EXPORT(accumulate_into);

namespace simd {
std::uint32_t largest_key(const float* values, const float* residual, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_key)(values, residual, count);
}
void accumulate_into(float* sums, const float* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(accumulate_into)(sums, values, count);
}
} // namespace simd

namespace scalar {
std::uint32_t largest_key(const float* values, const float* residual, std::size_t count) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(largest, magnitude_key(residual ? residual[i] + values[i] : values[i]));
  return largest;
}
void accumulate_into(float* sums, const float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] = accumulate(sums[i], values[i]);
}
} // namespace scalar
} // namespace gradflight::codec
#endif
