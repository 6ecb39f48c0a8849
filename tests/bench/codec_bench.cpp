// Codecs on one core: GB/s of float32 input, in cache (128 KiB) and from memory (64 MB), compared with memcpy in the
// same run. Checked: bytes and decoded values equal those of the scalar reference.
#include "models/codecs/catalogue.hpp"
#include "models/codecs/selection/selection.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <random>

namespace gradflight::codec {
namespace {

constexpr std::int64_t cached = 32 * 1024, large = 16'000'000;

/// Values like those of a gradient: normally distributed, with a scale that gives INCEPTIONN's classes shares as in
/// Table III.
const std::vector<float>& gradient(std::int64_t count) {
  static std::vector<float> small, big;
  std::vector<float>& values = count == cached ? small : big;
  if (values.empty()) {
    std::mt19937 generator(1);
    std::normal_distribution<float> normal(0.0f, 1.0f);
    values.resize(static_cast<std::size_t>(count));
    // Scales differ between layers.
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = normal(generator) * std::ldexp(1.0f, -8 - static_cast<int>(i / 4096 % 6));
  }
  return values;
}

Settings settings_of(const char* name, const char* parameter, const char* value) {
  Settings settings = default_settings(name);
  if (parameter) set(settings, parameter, value);
  return settings;
}

void count_input(benchmark::State& state, std::size_t values) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * values * sizeof(float)));
}

void copy(benchmark::State& state) {
  const auto& values = gradient(state.range(0));
  std::vector<float> to(values.size());
  for ([[maybe_unused]] auto iteration : state) {
    std::memcpy(to.data(), values.data(), values.size() * sizeof(float));
    benchmark::ClobberMemory();
  }
  if (to != values) state.SkipWithError("the copy differs");
  count_input(state, values.size());
}

void encode(benchmark::State& state, const char* name, const char* parameter, const char* value) {
  const auto& values = gradient(state.range(0));
  const Settings settings = settings_of(name, parameter, value);
  const auto codec = make_codec(settings);
  std::vector<std::byte> bytes, expected;
  for ([[maybe_unused]] auto iteration : state) {
    codec->encode(values, bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  make_codec(settings, Implementation::scalar)->encode(values, expected);
  if (bytes != expected) state.SkipWithError("the bytes are not the reference's");
  state.counters["bits"] = 8.0 * static_cast<double>(bytes.size()) / static_cast<double>(values.size());
  count_input(state, values.size());
}

/// As in training: the next step adds the values that a step could not send.
void encode_with_residual(benchmark::State& state, const char* name, const char* parameter, const char* value) {
  const auto& values = gradient(state.range(0));
  const auto codec = make_codec(settings_of(name, parameter, value));
  std::vector<float> residual(values.size());
  std::vector<std::byte> bytes;
  for ([[maybe_unused]] auto iteration : state) {
    codec->encode(values, residual, bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  std::vector<float> decoded(values.size());
  if (!codec->decode(bytes, decoded)) state.SkipWithError("the stream is malformed");
  count_input(state, values.size());
}

void decode(benchmark::State& state, const char* name, const char* parameter, const char* value) {
  const auto& values = gradient(state.range(0));
  const Settings settings = settings_of(name, parameter, value);
  const auto codec = make_codec(settings);
  std::vector<std::byte> bytes;
  codec->encode(values, bytes);
  std::vector<float> decoded(values.size()), expected(values.size());
  bool good = true;
  for ([[maybe_unused]] auto iteration : state) {
    good = static_cast<bool>(codec->decode(bytes, decoded)) && good;
    benchmark::DoNotOptimize(decoded.data());
  }
  const bool reference = static_cast<bool>(make_codec(settings, Implementation::scalar)->decode(bytes, expected));
  if (!good || !reference || std::memcmp(decoded.data(), expected.data(), decoded.size() * sizeof(float)) != 0)
    state.SkipWithError("the values are not the reference's");
  count_input(state, values.size());
}

void select(benchmark::State& state, double density) {
  const auto& values = gradient(state.range(0));
  const auto k = static_cast<std::size_t>(density * static_cast<double>(values.size()));
  SparseVector entries;
  for ([[maybe_unused]] auto iteration : state) entries = simd::select_largest(values, k);
  if (entries != scalar::select_largest(values, k)) state.SkipWithError("the entries are not the reference's");
  count_input(state, values.size());
}

#define GF_SIZES ->Arg(cached)->Arg(large)
#define GF_CODEC(label, ...)                                                                                           \
  BENCHMARK_CAPTURE(encode, label, __VA_ARGS__) GF_SIZES;                                                              \
  BENCHMARK_CAPTURE(decode, label, __VA_ARGS__) GF_SIZES

BENCHMARK(copy) GF_SIZES;
GF_CODEC(inceptionn, "inceptionn", nullptr, nullptr);
GF_CODEC(inceptionn_6, "inceptionn", "error_bound_log2", "-6");
GF_CODEC(fp16, "fp16", nullptr, nullptr);
GF_CODEC(truncate_16, "truncate", nullptr, nullptr);
GF_CODEC(truncate_22, "truncate", "lsb_bits", "22");
GF_CODEC(truncate_24, "truncate", "lsb_bits", "24");
GF_CODEC(truncate_5, "truncate", "lsb_bits", "5");
GF_CODEC(quantize8, "quantize8", nullptr, nullptr);
GF_CODEC(threelc, "threelc", nullptr, nullptr);
GF_CODEC(threelc_1_75, "threelc", "sparsity_multiplier", "1.75");
BENCHMARK_CAPTURE(encode_with_residual, threelc, "threelc", nullptr, nullptr) GF_SIZES;
GF_CODEC(ternary, "ternary", nullptr, nullptr);
GF_CODEC(onebit, "onebit", nullptr, nullptr);
BENCHMARK_CAPTURE(encode_with_residual, onebit, "onebit", nullptr, nullptr) GF_SIZES;
GF_CODEC(bitmap_sparse, "bitmap_sparse", nullptr, nullptr);
BENCHMARK_CAPTURE(encode_with_residual, bitmap_sparse, "bitmap_sparse", nullptr, nullptr) GF_SIZES;
GF_CODEC(topk, "topk", nullptr, nullptr);
BENCHMARK_CAPTURE(encode_with_residual, topk, "topk", nullptr, nullptr) GF_SIZES;
BENCHMARK_CAPTURE(select, permille, 0.001) GF_SIZES;
BENCHMARK_CAPTURE(select, percent, 0.01) GF_SIZES;

} // namespace
} // namespace gradflight::codec
