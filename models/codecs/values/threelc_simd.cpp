#include "models/codecs/parts/bits.hpp"
#include "models/codecs/values/threelc.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/values/threelc_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::threelc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void quantise(const float* values, float* residual, std::size_t count, float scale, std::uint8_t* digits) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<std::uint8_t, decltype(df)> d8;
  const auto scales = hn::Set(df, scale), one = hn::Set(df, 1.0f);
  std::size_t i = 0;
  for (; i + hn::Lanes(df) <= count; i += hn::Lanes(df)) {
    const auto value = hn::LoadU(df, values + i);
    const auto total = residual ? hn::Add(hn::LoadU(df, residual + i), value) : value;
    const auto size = hn::Abs(total);
    const auto sent = hn::Gt(hn::Add(size, size), scales);
    const auto q = hn::IfThenElseZero(sent, hn::CopySignToAbs(one, total));
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(di, hn::Add(q, one))), d8, digits + i);
    if (residual) hn::StoreU(hn::Sub(total, hn::Mul(scales, q)), df, residual + i);
  }
  scalar::quantise(values + i, residual ? residual + i : nullptr, count - i, scale, digits + i);
}

void restore(const std::uint8_t* digits, std::size_t count, float scale, float* values) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const hn::Rebind<std::uint8_t, decltype(df)> d8;
  const auto scales = hn::Set(df, scale);
  std::size_t i = 0;
  for (; i + hn::Lanes(df) <= count; i += hn::Lanes(df)) {
    const auto q = hn::Sub(hn::PromoteTo(di, hn::LoadU(d8, digits + i)), hn::Set(di, 1));
    hn::StoreU(hn::Mul(hn::ConvertTo(df, q), scales), df, values + i);
  }
  scalar::restore(digits + i, count - i, scale, values + i);
}

} // namespace gradflight::codec::threelc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec::threelc {
HWY_EXPORT(quantise);
HWY_EXPORT(restore);

namespace simd {
void quantise(const float* values, float* residual, std::size_t count, float scale, std::uint8_t* digits) {
  HWY_DYNAMIC_DISPATCH(quantise)(values, residual, count, scale, digits);
}
void restore(const std::uint8_t* digits, std::size_t count, float scale, float* values) {
  HWY_DYNAMIC_DISPATCH(restore)(digits, count, scale, values);
}
} // namespace simd
} // namespace gradflight::codec::threelc
#endif
