// SIMD: histograms find the k-th largest key, first over the key's top 11 bits, then over the remaining bits of the
// candidates. One more pass collects the entries above it, and as many entries equal to it as needed.
#include "models/codecs/selection/selection.hpp"

#include "models/codecs/parts/bits.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/codecs/selection/selection.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef GRADFLIGHT_SELECTION_THRESHOLD
#define GRADFLIGHT_SELECTION_THRESHOLD
namespace gradflight::codec {

/// The k-th largest key, and how many of the k entries have exactly that key.
struct Threshold {
  std::uint32_t key = 0;
  std::size_t equal = 0;
};

constexpr unsigned key_bits = 31, top_bits = 11, lower_bits = (key_bits - top_bits) / 2;
/// Copies of a histogram, so that equal keys next to each other do not wait for each other.
constexpr std::size_t copies = 4;

} // namespace gradflight::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace gradflight::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Histogram = std::array<std::uint32_t, std::size_t{1} << top_bits>;

/// Counts the bits from `shift` up, of keys with equal bits above those.
inline void count_buckets(const std::uint32_t* bits, std::size_t count, unsigned shift, std::uint32_t mask,
                          Histogram& histogram) {
  std::array<Histogram, copies> counts{};
  std::size_t i = 0;
  for (; i + copies <= count; i += copies)
    for (std::size_t c = 0; c < copies; ++c) ++counts[c][bits[i + c] >> shift & mask];
  for (; i < count; ++i) ++counts[0][bits[i] >> shift & mask];
  for (std::size_t b = 0; b < histogram.size(); ++b)
    histogram[b] = counts[0][b] + counts[1][b] + counts[2][b] + counts[3][b];
}

/// Searches from the largest bucket down for the one with the `wanted`-th entry; `wanted` becomes the entry's rank in
/// it.
inline std::uint32_t find_bucket(const Histogram& histogram, std::size_t& wanted) {
  std::size_t bucket = histogram.size() - 1;
  for (; histogram[bucket] < wanted; --bucket) wanted -= histogram[bucket];
  return static_cast<std::uint32_t>(bucket);
}

/// Returns the keys in `bits` with `prefix` as their bits from `shift` up.
inline std::vector<std::uint32_t> candidates(const std::uint32_t* bits, std::size_t count, unsigned shift,
                                             std::uint32_t prefix, std::size_t found) {
  const hn::ScalableTag<std::uint32_t> d;
  std::vector<std::uint32_t> keys(found + hn::Lanes(d));
  const auto wanted = hn::Set(d, prefix << shift);
  const auto compared = hn::Set(d, 0x7fffffffu >> shift << shift);
  const auto magnitude = hn::Set(d, 0x7fffffffu);
  std::size_t at = 0, i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const auto key = hn::And(hn::LoadU(d, bits + i), magnitude);
    const auto match = hn::Eq(hn::And(key, compared), wanted);
    if (!hn::AllFalse(d, match)) at += hn::CompressStore(key, match, d, keys.data() + at);
  }
  for (; i < count; ++i)
    if (const std::uint32_t key = bits[i] & 0x7fffffffu; key >> shift == prefix) keys[at++] = key;
  keys.resize(at);
  return keys;
}

inline Threshold find_threshold(const std::uint32_t* bits, std::size_t count, std::size_t k) {
  Histogram histogram;
  std::size_t wanted = k;
  unsigned shift = key_bits - top_bits;
  count_buckets(bits, count, shift, (1u << top_bits) - 1, histogram);
  std::uint32_t prefix = find_bucket(histogram, wanted);
  std::vector<std::uint32_t> keys = candidates(bits, count, shift, prefix, histogram[prefix]);
  while (shift > 0) {
    shift -= lower_bits;
    count_buckets(keys.data(), keys.size(), shift, (1u << lower_bits) - 1, histogram);
    const std::uint32_t bucket = find_bucket(histogram, wanted);
    prefix = prefix << lower_bits | bucket;
    if (shift > 0) keys = candidates(keys.data(), keys.size(), shift, prefix, histogram[bucket]);
  }
  return {prefix, wanted};
}

/// Collects entries above the threshold and the first `equal` ones on it, in index order. The arrays need space for one
/// more vector.
inline void collect(const float* values, std::size_t count, Threshold threshold, SparseVector& out) {
  const hn::ScalableTag<std::int32_t> d; // keys have no sign
  const hn::RebindToFloat<decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  const auto limit = hn::Set(d, static_cast<std::int32_t>(threshold.key)), magnitude = hn::Set(d, 0x7fffffff);
  std::size_t at = 0, equal = threshold.equal, i = 0;
  const auto take_one_by_one = [&](std::size_t end) {
    for (; i < end; ++i) {
      const std::uint32_t key = magnitude_key(values[i]);
      if (key < threshold.key || (key == threshold.key && equal == 0)) continue;
      equal -= key == threshold.key;
      out.indices[at] = static_cast<std::uint32_t>(i);
      out.values[at++] = values[i];
    }
  };
  while (i + lanes <= count) {
    const auto value = hn::LoadU(df, values + i);
    const auto key = hn::And(hn::BitCast(d, value), magnitude);
    const auto least = hn::Not(hn::Lt(key, limit));
    if (hn::AllFalse(d, least)) {
      i += lanes;
      continue;
    }
    auto taken = least;
    const std::size_t on_it = hn::CountTrue(d, hn::Eq(key, limit));
    if (on_it > 0 && equal == 0) {
      taken = hn::Gt(key, limit);
    } else if (on_it > equal) {
      take_one_by_one(i + lanes);
      continue;
    } else {
      equal -= on_it;
    }
    const auto index = hn::Add(hn::Set(d, static_cast<std::int32_t>(i)), hn::Iota(d, 0));
    hn::CompressStore(value, hn::RebindMask(df, taken), df, out.values.data() + at);
    at += hn::CompressStore(index, taken, d, reinterpret_cast<std::int32_t*>(out.indices.data() + at));
    i += lanes;
  }
  take_one_by_one(count);
}

SparseVector select_largest(std::span<const float> values, std::size_t k) {
  SparseVector result;
  k = std::min(k, values.size());
  if (k == 0) return result;
  const std::size_t room = k + hn::Lanes(hn::ScalableTag<std::uint32_t>());
  result.indices.resize(room);
  result.values.resize(room);
  const auto* bits = reinterpret_cast<const std::uint32_t*>(values.data());
  collect(values.data(), values.size(), find_threshold(bits, values.size(), k), result);
  result.indices.resize(k);
  result.values.resize(k);
  return result;
}

} // namespace gradflight::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gradflight::codec {
HWY_EXPORT(select_largest);

namespace simd {
SparseVector select_largest(std::span<const float> values, std::size_t k) {
  return HWY_DYNAMIC_DISPATCH(select_largest)(values, k);
}
} // namespace simd

namespace scalar {
SparseVector select_largest(std::span<const float> values, std::size_t k) {
  std::vector<std::uint32_t> all(values.size()), order(std::min(k, values.size()));
  std::iota(all.begin(), all.end(), 0u);
  std::partial_sort_copy(all.begin(), all.end(), order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = magnitude_key(values[a]), second = magnitude_key(values[b]);
    return first != second ? first > second : a < b;
  });
  std::sort(order.begin(), order.end());
  SparseVector result{order, {}};
  for (const std::uint32_t i : order) result.values.push_back(values[i]);
  return result;
}
} // namespace scalar
} // namespace gradflight::codec
#endif
