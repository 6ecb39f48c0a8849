// Eight codes of w bits fill w bytes. Vectors put pairs of codes into 64-bit lanes. Four of these lanes are then joined
// in registers; all shifts are known at compile time. Widths of whole bytes use narrowing conversions instead.
#include "models/codecs/parts/bits.hpp"
#include "models/codecs/values/truncate.hpp"

#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/values/truncate_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::truncate::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t block = 512; ///< values per pass over the pairs

/// Returns the number of groups of eight codes with bytes that may be loaded and stored in whole words; this accesses
/// up to eight bytes beyond a group.
constexpr std::size_t groups_in_words(std::size_t count, unsigned width) {
  const std::size_t size = count / 8 * width, reach = width + sizeof(std::uint64_t);
  return size < reach ? 0 : (size - reach) / width + 1;
}

/// Joins four pairs of 2 w bits into w bytes, followed by up to seven bytes of zeros or garbage.
template <unsigned width> inline void join(const std::uint64_t* pairs, std::byte* out) {
  constexpr unsigned bits = 2 * width;
  if constexpr (bits <= 16) {
    store(out, pairs[0] | pairs[1] << bits | pairs[2] << 2 * bits | pairs[3] << 3 * bits);
  } else {
    __extension__ using Wide = unsigned __int128;
    const auto low = static_cast<Wide>(pairs[0]) | static_cast<Wide>(pairs[1]) << bits;
    const auto high = static_cast<Wide>(pairs[2]) | static_cast<Wide>(pairs[3]) << bits;
    if constexpr (bits <= 32) {
      const Wide all = low | high << 2 * bits;
      store(out, static_cast<std::uint64_t>(all));
      store(out + 8, static_cast<std::uint64_t>(all >> 64));
    } else {
      // `low` contains 4 w bits, 68 to 124; `high` follows it in the same words.
      const Wide second = high << (2 * bits - 64);
      store(out, static_cast<std::uint64_t>(low));
      store(out + 8, static_cast<std::uint64_t>(low >> 64) | static_cast<std::uint64_t>(second));
      store(out + 16, static_cast<std::uint64_t>(second >> 64));
      if constexpr (width > 24) store(out + 24, static_cast<std::uint64_t>(high >> (128 - (2 * bits - 64))));
    }
  }
}

/// The inverse: converts w bytes to four pairs, with garbage above their 2 w bits. Reads up to eight bytes past the w
/// bytes.
template <unsigned width> inline void split(const std::byte* bytes, std::uint64_t* pairs) {
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned first = 2 * width * i, second = first + width;
    pairs[i] = load<std::uint64_t>(bytes + first / 8) >> first % 8;
    if constexpr (2 * width + 7 > 64) // a pair may span nine bytes
      pairs[i] = (pairs[i] & ((std::uint64_t{1} << width) - 1)) |
                 load<std::uint64_t>(bytes + second / 8) >> second % 8 << width;
  }
}

template <unsigned width> std::size_t pack_pairs(const float* values, std::size_t count, std::byte* out) {
  alignas(64) std::uint64_t pairs[block / 2];
  const hn::CappedTag<std::uint64_t, 4> d;
  const auto* words = reinterpret_cast<const std::uint64_t*>(values);
  const auto low = hn::Set(d, 0xffffffffu);
  std::size_t done = 0;
  const std::size_t end = 8 * groups_in_words(count, width);
  while (done < end) {
    const std::size_t now = end - done < block ? end - done : block;
    for (std::size_t i = 0; i < now / 2; i += hn::Lanes(d)) {
      const auto two = hn::LoadU(d, words + done / 2 + i);
      const auto first = hn::ShiftRight<32 - width>(hn::And(two, low));
      const auto second = hn::ShiftLeft<width>(hn::ShiftRight<64 - width>(two));
      hn::Store(hn::Or(first, second), d, pairs + i);
    }
    for (std::size_t i = 0; i < now; i += 8) join<width>(pairs + i / 2, out + (done + i) / 8 * width);
    done += now;
  }
  return done;
}

template <unsigned width> std::size_t unpack_pairs(const std::byte* bytes, std::size_t count, float* values) {
  alignas(64) std::uint64_t pairs[block / 2];
  const hn::CappedTag<std::uint64_t, 4> d;
  auto* words = reinterpret_cast<std::uint64_t*>(values);
  const auto high = hn::Set(d, ~std::uint64_t{0} << (64 - width));
  std::size_t done = 0;
  const std::size_t end = 8 * groups_in_words(count, width);
  while (done < end) {
    const std::size_t now = end - done < block ? end - done : block;
    for (std::size_t i = 0; i < now; i += 8) split<width>(bytes + (done + i) / 8 * width, pairs + i / 2);
    for (std::size_t i = 0; i < now / 2; i += hn::Lanes(d)) {
      const auto pair = hn::Load(d, pairs + i);
      // The second code moves to the top of the upper word, and the first code to the top of the lower word.
      const auto second = hn::And(hn::ShiftLeft<64 - 2 * width>(pair), high);
      const auto first = hn::ShiftRight<32>(hn::ShiftLeft<64 - width>(pair));
      hn::StoreU(hn::Or(first, second), d, words + done / 2 + i);
    }
    done += now;
  }
  return done;
}

using Pack = std::size_t (*)(const float*, std::size_t, std::byte*);
using Unpack = std::size_t (*)(const std::byte*, std::size_t, float*);

std::size_t pack_halves(const float* values, std::size_t count, std::byte* out) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Rebind<std::int32_t, decltype(d)> di;
  const hn::Rebind<std::int16_t, decltype(d)> d16;
  const auto* words = reinterpret_cast<const std::uint32_t*>(values);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    // An arithmetic shift keeps the upper half within int16, so the narrowing does not saturate.
    const auto upper = hn::ShiftRight<16>(hn::BitCast(di, hn::LoadU(d, words + i)));
    hn::StoreU(hn::DemoteTo(d16, upper), d16, reinterpret_cast<std::int16_t*>(out) + i);
  }
  return i;
}

std::size_t unpack_halves(const std::byte* bytes, std::size_t count, float* values) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto half = hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(bytes) + i));
    hn::StoreU(hn::ShiftLeft<16>(half), d, reinterpret_cast<std::uint32_t*>(values) + i);
  }
  return i;
}

std::size_t copy_out(const float* values, std::size_t count, std::byte* out) {
  if (count > 0) std::memcpy(out, values, count * sizeof(float));
  return count;
}

std::size_t copy_in(const std::byte* bytes, std::size_t count, float* values) {
  if (count > 0) std::memcpy(values, bytes, count * sizeof(float));
  return count;
}

template <unsigned... index> constexpr auto pack_table(std::integer_sequence<unsigned, index...>) {
  return std::array<Pack, 33>{nullptr, pack_pairs<index + 1>..., copy_out};
}
template <unsigned... index> constexpr auto unpack_table(std::integer_sequence<unsigned, index...>) {
  return std::array<Unpack, 33>{nullptr, unpack_pairs<index + 1>..., copy_in};
}

void pack(const float* values, std::size_t count, unsigned width, std::byte* out) {
  static constexpr auto table = pack_table(std::make_integer_sequence<unsigned, 31>());
  const std::size_t done = (width == 16 ? pack_halves : table[width])(values, count, out);
  scalar::pack(values + done, count - done, width, out + done * width / 8);
}

void unpack(const std::byte* bytes, std::size_t count, unsigned width, float* values) {
  static constexpr auto table = unpack_table(std::make_integer_sequence<unsigned, 31>());
  const std::size_t done = (width == 16 ? unpack_halves : table[width])(bytes, count, values);
  scalar::unpack(bytes + done * width / 8, count - done, width, values + done);
}

} // namespace gradflight::codec::truncate::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec::truncate {
HWY_EXPORT(pack);
HWY_EXPORT(unpack);

namespace simd {
void pack(const float* values, std::size_t count, unsigned width, std::byte* out) {
  HWY_DYNAMIC_DISPATCH(pack)(values, count, width, out);
}
void unpack(const std::byte* bytes, std::size_t count, unsigned width, float* values) {
  HWY_DYNAMIC_DISPATCH(unpack)(bytes, count, width, values);
}
} // namespace simd
} // namespace gradflight::codec::truncate
#endif
