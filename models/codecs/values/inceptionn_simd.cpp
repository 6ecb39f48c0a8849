// INCEPTIONN in two stages over chunks that fit in the L1 cache. First, vectors convert values to tags and payloads in
// 32-bit lanes, or back. Then byte shuffles pack or unpack them; a table gives the shuffle for four tags at a time.
#include "models/codecs/parts/bits.hpp"
#include "models/codecs/values/inceptionn.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/values/inceptionn_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef GRADFLIGHT_INCEPTIONN_TABLES
#define GRADFLIGHT_INCEPTIONN_TABLES
namespace gradflight::codec::inceptionn {

/// For every byte of four tags: the shuffles between four 32-bit lanes and packed bytes, the four tags (one byte each),
/// and the packed length.
struct ShuffleTables {
  alignas(16) std::uint8_t pack[256][16];
  alignas(16) std::uint8_t unpack[256][16];
  std::uint32_t tags[256];
  std::uint8_t length[256];
};

constexpr ShuffleTables make_tables() {
  ShuffleTables tables{};
  constexpr unsigned payload_bytes[4] = {0, 1, 2, 4};
  for (unsigned tags = 0; tags < 256; ++tags) {
    for (unsigned i = 0; i < 16; ++i) tables.pack[tags][i] = tables.unpack[tags][i] = 0x80; // gives a zero byte
    unsigned length = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const unsigned tag = tags >> (2 * lane) & 3;
      tables.tags[tags] |= tag << (8 * lane);
      for (unsigned i = 0; i < payload_bytes[tag]; ++i, ++length) {
        tables.pack[tags][length] = static_cast<std::uint8_t>(4 * lane + i);
        tables.unpack[tags][4 * lane + i] = static_cast<std::uint8_t>(length);
      }
    }
    tables.length[tags] = static_cast<std::uint8_t>(length);
  }
  return tables;
}

inline constexpr ShuffleTables shuffle_tables = make_tables();

/// Packs four tags of one byte each into one byte: the fields of the products do not overlap.
inline std::uint32_t gather_tags(std::uint32_t four) { return four * 0x01041040u >> 24; }

} // namespace gradflight::codec::inceptionn
#endif

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::inceptionn::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR // one lane: no shuffles

std::size_t encode_chunk(const Classes& classes, const float* values, std::size_t count, std::byte* out) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; i += burst_values)
    size += scalar::encode_burst(classes, values + i, std::min(burst_values, count - i), out + size);
  return size;
}

DecodeStatus decode(const Classes& classes, std::span<const std::byte> bytes, std::span<float> values) {
  return scalar::decode(classes, bytes, values);
}

#else

/// Writes the tags (one byte each) and payloads (32 bits each) of the values [i, count) that fill whole vectors.
/// Returns the index of the first remaining value.
template <class D>
HWY_INLINE std::size_t classify(D du, std::size_t i, const Classes& classes, const float* HWY_RESTRICT values,
                                std::size_t count, std::uint8_t* HWY_RESTRICT tags,
                                std::uint32_t* HWY_RESTRICT payloads) {
  const hn::RebindToFloat<decltype(du)> df;
  const hn::RebindToSigned<decltype(du)> di;
  const hn::Rebind<std::uint8_t, decltype(du)> d8;
  const auto key_bits = hn::Set(di, 0x7fffffff);
  const auto eight_from = hn::Set(di, static_cast<std::int32_t>(classes.zero_below - 1));
  const auto sixteen_from = hn::Set(di, static_cast<std::int32_t>(classes.sixteen_from - 1));
  const auto raw_from = hn::Set(di, static_cast<std::int32_t>(bits_of(1.0f) - 1));
  const auto scale8 = hn::Set(df, static_cast<float>(1u << classes.eight_bit_fraction));
  const auto scale16 = hn::Set(df, 32768.0f);
  for (; i + hn::Lanes(du) <= count; i += hn::Lanes(du)) {
    const auto bits = hn::LoadU(di, reinterpret_cast<const std::int32_t*>(values) + i);
    const auto key = hn::And(bits, key_bits);
    const auto eight = hn::Gt(key, eight_from);
    const auto sixteen = hn::Gt(key, sixteen_from);
    const auto raw = hn::Gt(key, raw_from);
    // A mask lane is -1, so this adds one for each threshold that the value reaches.
    const auto tag = hn::Sub(hn::Zero(di), hn::Add(hn::Add(hn::VecFromMask(di, eight), hn::VecFromMask(di, sixteen)),
                                                   hn::VecFromMask(di, raw)));
    hn::StoreU(hn::DemoteTo(d8, tag), d8, tags + i);
    // Dropped and raw lanes become zero first, to avoid slow denormals and conversions out of range.
    const auto fixed = hn::BitCast(df, hn::IfThenZeroElse(raw, hn::IfThenElseZero(eight, key)));
    const auto scale = hn::IfThenElse(hn::RebindMask(df, sixteen), scale16, scale8);
    const auto magnitude = hn::ConvertTo(di, hn::Mul(fixed, scale));
    const auto sign = hn::ShiftRight<31>(hn::BitCast(du, bits));
    const auto placed = hn::IfThenElse(hn::RebindMask(du, sixteen), hn::ShiftLeft<15>(sign), hn::ShiftLeft<7>(sign));
    const auto payload = hn::IfThenElse(raw, bits, hn::Or(magnitude, hn::BitCast(di, placed)));
    hn::StoreU(hn::BitCast(du, payload), du, payloads + i);
  }
  return i;
}

/// The inverse of classify.
template <class D>
HWY_INLINE std::size_t restore(D di, std::size_t i, const Classes& classes, const std::uint8_t* HWY_RESTRICT tags,
                               const std::uint32_t* HWY_RESTRICT payloads, std::size_t count,
                               float* HWY_RESTRICT values) {
  const hn::RebindToFloat<decltype(di)> df;
  const hn::Rebind<std::uint8_t, decltype(di)> d8;
  const auto scale8 = hn::Set(df, 1.0f / static_cast<float>(1u << classes.eight_bit_fraction));
  const auto scale16 = hn::Set(df, 1.0f / 32768.0f);
  for (; i + hn::Lanes(di) <= count; i += hn::Lanes(di)) {
    const auto tag = hn::PromoteTo(di, hn::LoadU(d8, tags + i));
    const auto payload = hn::LoadU(di, reinterpret_cast<const std::int32_t*>(payloads) + i);
    const auto sixteen = hn::Gt(tag, hn::Set(di, 1));
    const auto raw = hn::Gt(tag, hn::Set(di, 2));
    const auto magnitude = hn::And(payload, hn::IfThenElse(sixteen, hn::Set(di, 0x7fff), hn::Set(di, 0x7f)));
    const auto scale = hn::IfThenElse(hn::RebindMask(df, sixteen), scale16, scale8);
    const auto sign = hn::And(hn::IfThenElse(sixteen, hn::ShiftLeft<16>(payload), hn::ShiftLeft<24>(payload)),
                              hn::Set(di, static_cast<std::int32_t>(sign_bit)));
    const auto fixed = hn::Or(hn::BitCast(di, hn::Mul(hn::ConvertTo(df, magnitude), scale)), sign);
    hn::StoreU(hn::BitCast(df, hn::IfThenElse(raw, payload, fixed)), df, values + i);
  }
  return i;
}

std::size_t encode_chunk(const Classes& classes, const float* values, std::size_t count, std::byte* out) {
  alignas(64) std::uint8_t tags[simd::chunk_values];
  alignas(64) std::uint32_t payloads[simd::chunk_values];
  const std::size_t whole = count / burst_values * burst_values;
  // First full vectors, then one with the width of a burst.
  const std::size_t full = classify(hn::ScalableTag<std::uint32_t>(), 0, classes, values, whole, tags, payloads);
  classify(hn::CappedTag<std::uint32_t, burst_values>(), full, classes, values, whole, tags, payloads);

  const hn::FixedTag<std::uint8_t, 16> d;
  std::byte* to = out;
  for (std::size_t i = 0; i < whole; i += burst_values) {
    std::uint32_t four[2];
    std::memcpy(four, tags + i, sizeof four);
    const std::uint32_t low = gather_tags(four[0]), high = gather_tags(four[1]);
    store(to, static_cast<std::uint16_t>(low | high << 8));
    const auto* lanes = reinterpret_cast<const std::uint8_t*>(payloads + i);
    const auto first = hn::TableLookupBytesOr0(hn::Load(d, lanes), hn::Load(d, shuffle_tables.pack[low]));
    const auto second = hn::TableLookupBytesOr0(hn::Load(d, lanes + 16), hn::Load(d, shuffle_tables.pack[high]));
    std::byte* middle = to + 2 + shuffle_tables.length[low];
    hn::StoreU(first, d, reinterpret_cast<std::uint8_t*>(to + 2));
    hn::StoreU(second, d, reinterpret_cast<std::uint8_t*>(middle));
    to = middle + shuffle_tables.length[high];
  }
  if (whole < count) to += scalar::encode_burst(classes, values + whole, count - whole, to);
  return static_cast<std::size_t>(to - out);
}

DecodeStatus decode(const Classes& classes, std::span<const std::byte> bytes, std::span<float> values) {
  alignas(64) std::uint8_t tags[simd::chunk_values];
  alignas(64) std::uint32_t payloads[simd::chunk_values];
  const hn::FixedTag<std::uint8_t, 16> d;
  const std::byte* from = bytes.data();
  // A burst's two loads of 16 bytes end at most 34 bytes after its start. The scalar reference handles bursts closer to
  // the end.
  const std::size_t safe = bytes.size() < largest_burst ? 0 : bytes.size() - largest_burst + 1;
  std::size_t at = 0, done = 0;
  while (values.size() - done >= burst_values && at < safe) {
    const std::size_t room = std::min(simd::chunk_values, (values.size() - done) / burst_values * burst_values);
    std::size_t count = 0;
    for (; count < room && at < safe; count += burst_values) {
      const std::uint32_t word = load<std::uint16_t>(from + at);
      const std::uint32_t low = word & 255, high = word >> 8;
      const auto* packed = reinterpret_cast<const std::uint8_t*>(from + at + 2);
      const std::size_t middle = shuffle_tables.length[low];
      const auto first = hn::TableLookupBytesOr0(hn::LoadU(d, packed), hn::Load(d, shuffle_tables.unpack[low]));
      const auto second =
          hn::TableLookupBytesOr0(hn::LoadU(d, packed + middle), hn::Load(d, shuffle_tables.unpack[high]));
      hn::Store(first, d, reinterpret_cast<std::uint8_t*>(payloads + count));
      hn::Store(second, d, reinterpret_cast<std::uint8_t*>(payloads + count + 4));
      const std::uint32_t eight[2] = {shuffle_tables.tags[low], shuffle_tables.tags[high]};
      std::memcpy(tags + count, eight, sizeof eight);
      at += 2 + middle + shuffle_tables.length[high];
    }
    const std::size_t full =
        restore(hn::ScalableTag<std::int32_t>(), 0, classes, tags, payloads, count, values.data() + done);
    restore(hn::CappedTag<std::int32_t, burst_values>(), full, classes, tags, payloads, count, values.data() + done);
    done += count;
  }
  DecodeStatus rest = scalar::decode(classes, bytes.subspan(at), values.subspan(done));
  if (!rest) rest.byte += at;
  return rest;
}

#endif

} // namespace gradflight::codec::inceptionn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec::inceptionn {
HWY_EXPORT(encode_chunk);
HWY_EXPORT(decode);

namespace simd {
std::size_t encode_chunk(const Classes& classes, const float* values, std::size_t count, std::byte* out) {
  return HWY_DYNAMIC_DISPATCH(encode_chunk)(classes, values, count, out);
}
DecodeStatus decode(const Classes& classes, std::span<const std::byte> bytes, std::span<float> values) {
  return HWY_DYNAMIC_DISPATCH(decode)(classes, bytes, values);
}
} // namespace simd
} // namespace gradflight::codec::inceptionn
#endif
