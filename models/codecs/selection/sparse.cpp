#include "models/codecs/selection/sparse.hpp"

#include "models/codecs/parts/bits.hpp"
#include "models/codecs/parts/magnitude.hpp"
#include "models/codecs/selection/topk_entries.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gradflight::codec {

std::size_t selected_entries(double density, std::size_t elements) {
  return static_cast<std::size_t>(topk_entries(density, static_cast<std::int64_t>(elements)));
}

SparseVector select_and_keep(std::span<const float> values, std::span<float> residual, std::size_t k,
                             Implementation implementation) {
  if (values.size() > most_indexed) throw std::length_error("a sparse tensor has at most 2^32 elements");
  const bool fast = implementation == Implementation::simd;
  const auto select = fast ? simd::select_largest : scalar::select_largest;
  if (residual.empty()) return select(values, k);
  (fast ? simd::accumulate_into : scalar::accumulate_into)(residual.data(), values.data(), values.size());
  SparseVector entries = select(residual, k);
  for (const std::uint32_t index : entries.indices) residual[index] = 0.0f;
  return entries;
}

namespace topk {
namespace {

class TopkCodec final : public Codec {
public:
  TopkCodec(double density, Implementation implementation) : density_(density), implementation_(implementation) {}

  [[nodiscard]] bool keeps_residual() const override { return true; }

  void encode(std::span<const float> values, std::span<float> residual, std::vector<std::byte>& out,
              std::uint64_t) const override {
    write(select_and_keep(values, residual, selected_entries(density_, values.size()), implementation_), out);
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    SparseVector entries;
    if (DecodeStatus status = read(bytes, values.size(), entries); !status) return status;
    std::fill(values.begin(), values.end(), 0.0f);
    for (std::size_t i = 0; i < entries.size(); ++i) values[entries.indices[i]] = entries.values[i];
    return {};
  }

private:
  double density_;
  Implementation implementation_;
};

} // namespace

void write(const SparseVector& entries, std::vector<std::byte>& out) {
  const std::size_t array = entries.size() * sizeof(std::uint32_t);
  out.resize(sizeof(std::uint32_t) + 2 * array);
  store(out.data(), static_cast<std::uint32_t>(entries.size()));
  if (array == 0) return;
  std::memcpy(out.data() + sizeof(std::uint32_t), entries.indices.data(), array);
  std::memcpy(out.data() + sizeof(std::uint32_t) + array, entries.values.data(), array);
}

DecodeStatus read(std::span<const std::byte> bytes, std::size_t elements, SparseVector& entries) {
  constexpr std::size_t word = sizeof(std::uint32_t);
  if (bytes.size() < word) return {"the stream ends before the number of entries", bytes.size()};
  const std::size_t k = load<std::uint32_t>(bytes.data());
  if (k > elements) return {"the stream has more entries than the tensor has elements", 0};
  if (bytes.size() < word + 2 * word * k) return {"the stream ends before the last entry", bytes.size()};
  if (bytes.size() > word + 2 * word * k) return {"bytes follow the last entry", word + 2 * word * k};
  entries.indices.resize(k);
  entries.values.resize(k);
  if (k == 0) return {};
  std::memcpy(entries.indices.data(), bytes.data() + word, word * k);
  std::memcpy(entries.values.data(), bytes.data() + word + word * k, word * k);
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t at = word + word * i;
    if (entries.indices[i] >= elements) return {"an index is beyond the last element", at};
    if (i > 0 && entries.indices[i] <= entries.indices[i - 1]) return {"the indices do not ascend", at};
  }
  return {};
}

std::unique_ptr<Codec> make(double density, Implementation implementation) {
  return std::make_unique<TopkCodec>(density, implementation);
}

} // namespace topk

namespace bitmap_sparse {
namespace {

class BitmapCodec final : public Codec {
public:
  BitmapCodec(double density, Implementation implementation) : density_(density), implementation_(implementation) {}

  [[nodiscard]] bool keeps_residual() const override { return true; }

  void encode(std::span<const float> values, std::span<float> residual, std::vector<std::byte>& out,
              std::uint64_t) const override {
    const SparseVector entries =
        select_and_keep(values, residual, selected_entries(density_, values.size()), implementation_);
    const std::size_t bitmap = (values.size() + 7) / 8;
    out.assign(bitmap + entries.size() * sizeof(float), std::byte{0});
    for (const std::uint32_t index : entries.indices) out[index / 8] |= static_cast<std::byte>(1u << index % 8);
    if (entries.size() > 0) std::memcpy(out.data() + bitmap, entries.values.data(), entries.size() * sizeof(float));
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    const std::size_t bitmap = (values.size() + 7) / 8;
    if (bytes.size() < bitmap) return {"the stream ends inside the bitmap", bytes.size()};
    std::size_t entries = 0;
    for (std::size_t i = 0; i < bitmap; ++i)
      entries += static_cast<std::size_t>(std::popcount(std::to_integer<std::uint8_t>(bytes[i])));
    const std::size_t size = bitmap + entries * sizeof(float);
    if (values.size() % 8 != 0 && std::to_integer<unsigned>(bytes[bitmap - 1]) >> values.size() % 8 != 0)
      return {"a bit beyond the last value is set", bitmap - 1};
    if (bytes.size() < size) return {"the stream ends before the last value", bytes.size()};
    if (bytes.size() > size) return {"bytes follow the last value", size};
    std::fill(values.begin(), values.end(), 0.0f);
    const std::byte* from = bytes.data() + bitmap;
    for (std::size_t i = 0; i < bitmap; ++i) {
      for (auto bits = std::to_integer<unsigned>(bytes[i]); bits != 0; bits &= bits - 1, from += sizeof(float))
        values[8 * i + static_cast<std::size_t>(std::countr_zero(bits))] = load<float>(from);
    }
    return {};
  }

private:
  double density_;
  Implementation implementation_;
};

} // namespace

std::unique_ptr<Codec> make(double density, Implementation implementation) {
  return std::make_unique<BitmapCodec>(density, implementation);
}

} // namespace bitmap_sparse
} // namespace gradflight::codec
