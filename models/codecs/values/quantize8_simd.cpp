#include "models/codecs/values/quantize8.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/values/quantize8_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::quantize8::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void quantise(const float* values, std::size_t count, float largest, std::int8_t* codes) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const hn::Rebind<std::int32_t, decltype(dd)> di;
  const hn::Rebind<std::int8_t, decltype(dd)> d8;
  // A product with the reciprocal is within 2^-45 of the quotient. Rounding it to multiples of 2^-40 restores ties. It
  // moves no other quotient across a tie, since those are 2^-32 away. So the codes are those of the exact quotient.
  const auto reciprocal = hn::Set(dd, 127.0 / static_cast<double>(largest));
  const auto snap = hn::Set(dd, 0x1.8p12);     // sums in [2^12, 2^13): unit 2^-40
  const auto integral = hn::Set(dd, 0x1.8p52); // unit 1
  std::size_t i = 0;
  for (; i + hn::Lanes(dd) <= count; i += hn::Lanes(dd)) {
    const auto product = hn::Mul(hn::PromoteTo(dd, hn::LoadU(df, values + i)), reciprocal);
    const auto snapped = hn::Sub(hn::Add(product, snap), snap);
    const auto rounded = hn::Sub(hn::Add(snapped, integral), integral);
    hn::StoreU(hn::DemoteTo(d8, hn::DemoteTo(di, rounded)), d8, codes + i);
  }
  scalar::quantise(values + i, count - i, largest, codes + i);
}

bool restore(const std::int8_t* codes, std::size_t count, float largest, float* values) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const hn::Rebind<std::int32_t, decltype(dd)> di;
  const hn::Rebind<std::int8_t, decltype(dd)> d8;
  const auto step = hn::Set(dd, static_cast<double>(largest) / 127.0);
  auto lowest = hn::Zero(di);
  std::size_t i = 0;
  for (; i + hn::Lanes(dd) <= count; i += hn::Lanes(dd)) {
    const auto code = hn::PromoteTo(di, hn::LoadU(d8, codes + i));
    lowest = hn::Min(lowest, code);
    hn::StoreU(hn::DemoteTo(df, hn::Mul(hn::PromoteTo(dd, code), step)), df, values + i);
  }
  const bool good = hn::GetLane(hn::MinOfLanes(di, lowest)) > -128;
  return scalar::restore(codes + i, count - i, largest, values + i) && good;
}

} // namespace gradflight::codec::quantize8::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec::quantize8 {
HWY_EXPORT(quantise);
HWY_EXPORT(restore);

namespace simd {
void quantise(const float* values, std::size_t count, float largest, std::int8_t* codes) {
  HWY_DYNAMIC_DISPATCH(quantise)(values, count, largest, codes);
}
bool restore(const std::int8_t* codes, std::size_t count, float largest, float* values) {
  return HWY_DYNAMIC_DISPATCH(restore)(codes, count, largest, values);
}
} // namespace simd
} // namespace gradflight::codec::quantize8
#endif
