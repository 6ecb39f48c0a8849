#include "models/codecs/parts/bits.hpp"
#include "models/codecs/values/fp16.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/values/fp16_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::fp16::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void to_half(const float* values, std::size_t count, std::byte* out) {
  const hn::ScalableTag<std::int32_t> di;
  const hn::RebindToFloat<decltype(di)> df;
  const hn::Rebind<std::int16_t, decltype(di)> d16;
  auto* halves = reinterpret_cast<std::int16_t*>(out);
  const auto smallest_normal = hn::Set(di, (127 - 14) << 23);
  // Adding 0.5 rounds the bits of a subnormal half into the lowest mantissa bits.
  const auto align = hn::Set(df, 0.5f);
  const auto bias_and_round = hn::Set(di, ((15 - 127) << 23) + 0xfff);
  const auto overflow = hn::Set(di, 0x477fefff), infinity = hn::Set(di, static_cast<std::int32_t>(infinity_key));
  std::size_t i = 0;
  for (; i + hn::Lanes(di) <= count; i += hn::Lanes(di)) {
    const auto bits = hn::BitCast(di, hn::LoadU(df, values + i));
    const auto key = hn::And(bits, hn::Set(di, 0x7fffffff));
    const auto odd = hn::And(hn::ShiftRight<13>(key), hn::Set(di, 1));
    const auto normal = hn::ShiftRight<13>(hn::Add(hn::Add(key, bias_and_round), odd));
    const auto subnormal = hn::Sub(hn::BitCast(di, hn::Add(hn::BitCast(df, key), align)), hn::BitCast(di, align));
    auto half = hn::IfThenElse(hn::Lt(key, smallest_normal), subnormal, normal);
    half = hn::IfThenElse(hn::Gt(key, overflow), hn::Set(di, 0x7c00), half);
    half = hn::Or(half, hn::ShiftLeft<15>(hn::ShiftRight<31>(bits))); // arithmetic shift: also negative as an int16
    half = hn::IfThenElse(hn::Gt(key, infinity), hn::Set(di, 0x7e00), half);
    hn::StoreU(hn::DemoteTo(d16, half), d16, halves + i);
  }
  scalar::to_half(values + i, count - i, out + 2 * i);
}

void from_half(const std::byte* bytes, std::size_t count, float* values) {
  const hn::ScalableTag<std::uint32_t> du;
  const hn::RebindToFloat<decltype(du)> df;
  const hn::Rebind<std::uint16_t, decltype(du)> d16;
  const auto* halves = reinterpret_cast<const std::uint16_t*>(bytes);
  const auto exponent_bits = hn::Set(du, 0x7c00u << 13);
  const auto rebias = hn::Set(du, 112u << 23);
  const auto align = hn::BitCast(df, hn::Set(du, 113u << 23));
  std::size_t i = 0;
  for (; i + hn::Lanes(du) <= count; i += hn::Lanes(du)) {
    const auto half = hn::PromoteTo(du, hn::LoadU(d16, halves + i));
    const auto magnitude = hn::ShiftLeft<13>(hn::And(half, hn::Set(du, 0x7fffu)));
    const auto exponent = hn::And(magnitude, exponent_bits);
    const auto biased = hn::Add(magnitude, rebias);
    const auto special = hn::Add(biased, rebias); // exponent 31 becomes 255
    // The exponent gives a subnormal an implicit leading one; the subtraction removes it.
    const auto subnormal = hn::Sub(hn::BitCast(df, hn::Add(biased, hn::Set(du, 1u << 23))), align);
    auto value = hn::IfThenElse(hn::Eq(exponent, exponent_bits), special, biased);
    value = hn::IfThenElse(hn::Eq(exponent, hn::Zero(du)), hn::BitCast(du, subnormal), value);
    value = hn::Or(value, hn::ShiftLeft<31>(hn::ShiftRight<15>(half)));
    hn::StoreU(hn::BitCast(df, value), df, values + i);
  }
  scalar::from_half(bytes + 2 * i, count - i, values + i);
}

} // namespace gradflight::codec::fp16::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec::fp16 {
HWY_EXPORT(to_half);
HWY_EXPORT(from_half);

namespace simd {
void to_half(const float* values, std::size_t count, std::byte* out) {
  HWY_DYNAMIC_DISPATCH(to_half)(values, count, out);
}
void from_half(const std::byte* bytes, std::size_t count, float* values) {
  HWY_DYNAMIC_DISPATCH(from_half)(bytes, count, values);
}
} // namespace simd
} // namespace gradflight::codec::fp16
#endif
