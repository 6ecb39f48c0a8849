#include "models/codecs/values/ternary.hpp"
#include "models/random/philox.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/values/ternary_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::ternary::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR // one lane: no products of pairs

void quantise(const float* values, std::size_t first, std::size_t count, float scale, Draws draws,
              std::uint8_t* digits) {
  scalar::quantise(values, first, count, scale, draws, digits);
}

#else

/// Upper and lower halves of the 64-bit products of all lanes.
template <class D, class V> HWY_INLINE void multiply(D d, V a, V b, V& upper, V& lower) {
  const auto even = hn::BitCast(d, hn::MulEven(a, b));
  const auto odd = hn::BitCast(d, hn::MulEven(hn::Shuffle2301(a), hn::Shuffle2301(b)));
  upper = hn::OddEven(odd, hn::Shuffle2301(even));
  lower = hn::OddEven(hn::Shuffle2301(odd), even);
}

/// Draws the numbers of the elements in `blocks` Philox blocks (a multiple of the lanes), in element order.
inline void draw(std::uint64_t first_block, std::size_t blocks, Draws draws, std::uint32_t* words) {
  const hn::CappedTag<std::uint32_t, 16> d;
  using V = hn::Vec<decltype(d)>;
  const V multiplier0 = hn::Set(d, Philox::multiplier0), multiplier1 = hn::Set(d, Philox::multiplier1);
  for (std::size_t i = 0; i < blocks; i += hn::Lanes(d)) {
    const std::uint64_t block = first_block + i;
    const V base = hn::Set(d, static_cast<std::uint32_t>(block));
    V c0 = hn::Add(base, hn::Iota(d, 0));
    // If the low word wraps around, the high word is one larger.
    V c1 = hn::Add(hn::Set(d, static_cast<std::uint32_t>(block >> 32)),
                   hn::IfThenElseZero(hn::Lt(c0, base), hn::Set(d, 1u)));
    V c2 = hn::Set(d, static_cast<std::uint32_t>(draws.message));
    V c3 = hn::Set(d, static_cast<std::uint32_t>(draws.message >> 32));
    V key0 = hn::Set(d, static_cast<std::uint32_t>(draws.seed));
    V key1 = hn::Set(d, static_cast<std::uint32_t>(draws.seed >> 32));
    for (int round = 0; round < Philox::rounds; ++round) {
      V upper0, lower0, upper1, lower1;
      multiply(d, c0, multiplier0, upper0, lower0);
      multiply(d, c2, multiplier1, upper1, lower1);
      c0 = hn::Xor(hn::Xor(upper1, c1), key0);
      c2 = hn::Xor(hn::Xor(upper0, c3), key1);
      c1 = lower1;
      c3 = lower0;
      key0 = hn::Add(key0, hn::Set(d, Philox::weyl0));
      key1 = hn::Add(key1, hn::Set(d, Philox::weyl1));
    }
    hn::StoreInterleaved4(c0, c1, c2, c3, d, words + 4 * i);
  }
}

void quantise(const float* values, std::size_t first, std::size_t count, float scale, Draws draws,
              std::uint8_t* digits) {
  constexpr std::size_t block = 256; // values per block; a multiple of four times the lanes in draw()
  alignas(64) std::uint32_t words[block];
  const hn::CappedTag<double, 16> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const hn::Rebind<std::int32_t, decltype(dd)> di;
  const hn::Rebind<std::uint8_t, decltype(dd)> d8;
  // The word and the scale have 24 bits each. The product is exact, whichever factor contains the power of two.
  const auto unit = hn::Set(dd, static_cast<double>(scale) * 0x1p-24);
  std::size_t i = 0;
  for (; i + block <= count; i += block) {
    draw((first + i) / 4, block / 4, draws, words);
    for (std::size_t j = 0; j < block; j += hn::Lanes(dd)) {
      const auto value = hn::PromoteTo(dd, hn::LoadU(df, values + i + j));
      const auto word = hn::ShiftRight<8>(hn::LoadU(hn::RebindToUnsigned<decltype(di)>(), words + j));
      const auto threshold = hn::Mul(hn::PromoteTo(dd, hn::BitCast(di, word)), unit);
      const auto sent = hn::Lt(threshold, hn::Abs(value));
      const auto one = hn::Set(dd, 1.0);
      const auto q = hn::IfThenElseZero(sent, hn::CopySignToAbs(one, value));
      hn::StoreU(hn::DemoteTo(d8, hn::DemoteTo(di, hn::Add(q, one))), d8, digits + i + j);
    }
  }
  scalar::quantise(values + i, first + i, count - i, scale, draws, digits + i);
}

#endif

} // namespace gradflight::codec::ternary::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec::ternary {
HWY_EXPORT(quantise);

namespace simd {
void quantise(const float* values, std::size_t first, std::size_t count, float scale, Draws draws,
              std::uint8_t* digits) {
  HWY_DYNAMIC_DISPATCH(quantise)(values, first, count, scale, draws, digits);
}
} // namespace simd
} // namespace gradflight::codec::ternary
#endif
