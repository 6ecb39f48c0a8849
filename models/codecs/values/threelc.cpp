#include "models/codecs/values/threelc.hpp"

#include "models/codecs/parts/bits.hpp"
#include "models/codecs/parts/magnitude.hpp"
#include "models/codecs/parts/zero_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradflight::codec::threelc {
namespace {

constexpr std::size_t header = sizeof(float);
constexpr std::size_t chunk_groups = 1024;
constexpr std::size_t chunk_values = chunk_groups * base3::group;

class ThreelcCodec final : public Codec {
public:
  ThreelcCodec(float multiplier, Implementation implementation)
      : multiplier_(multiplier), fast_(implementation == Implementation::simd) {}

  [[nodiscard]] bool keeps_residual() const override { return true; }

  void encode(std::span<const float> values, std::span<float> residual, std::vector<std::byte>& out,
              std::uint64_t) const override {
    float* const kept = residual.empty() ? nullptr : residual.data();
    const std::uint32_t key =
        (fast_ ? codec::simd::largest_key : codec::scalar::largest_key)(values.data(), kept, values.size());
    const float scale = float_of(key) * multiplier_;
    const bool finite = std::isfinite(scale);
    out.resize(header);
    store(out.data(), finite ? scale : float_of(quiet_nan_bits));
    quantise(values, kept, finite ? scale : 0.0f, finite, out);
  }

  DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const override {
    if (bytes.size() < header) return {"the stream ends before the scale", bytes.size()};
    const auto scale = load<float>(bytes.data());
    const bool finite = std::isfinite(scale);
    if (finite && std::signbit(scale)) return {"the scale is negative", 0};
    const auto* body = reinterpret_cast<const std::uint8_t*>(bytes.data() + header);
    const std::size_t size = bytes.size() - header;
    std::size_t groups = 0;
    for (std::size_t i = 0; i < size; ++i) groups += run_length(body[i]);
    if (groups < base3::groups_of(values.size())) return {"the stream ends before the last value", bytes.size()};
    if (groups > base3::groups_of(values.size())) return {"the stream holds more values than the tensor", bytes.size()};
    if (finite)
      expand(body, scale, values);
    else
      std::fill(values.begin(), values.end(), float_of(quiet_nan_bits));
    return {};
  }

private:
  /// Computes digits, bytes and zero runs chunk by chunk. Without `use_values` all digits are zero and the residual
  /// does not change, so that the step is skipped.
  void quantise(std::span<const float> values, float* residual, float scale, bool use_values,
                std::vector<std::byte>& out) const {
    // NOLINTBEGIN(*-member-init): filled chunk by chunk
    std::array<std::uint8_t, chunk_values + base3::pack_overread> digits;
    std::array<std::uint8_t, chunk_groups> codes;
    std::array<std::uint8_t, chunk_groups + ZeroRunEncoder::largest_flush> runs;
    // NOLINTEND(*-member-init)
    digits.fill(base3::zero_digit);
    ZeroRunEncoder zero_runs;
    const auto append = [&](std::size_t size) {
      const auto* from = reinterpret_cast<const std::byte*>(runs.data());
      out.insert(out.end(), from, from + size);
    };
    for (std::size_t i = 0; i < values.size(); i += chunk_values) {
      const std::size_t count = std::min(chunk_values, values.size() - i);
      const std::size_t groups = base3::groups_of(count);
      if (use_values)
        (fast_ ? simd::quantise : scalar::quantise)(values.data() + i, residual ? residual + i : nullptr, count, scale,
                                                    digits.data());
      std::fill(digits.begin() + static_cast<std::ptrdiff_t>(count),
                digits.begin() + static_cast<std::ptrdiff_t>(groups * base3::group), base3::zero_digit);
      (fast_ ? base3::simd::pack : base3::scalar::pack)(digits.data(), groups, codes.data());
      append(zero_runs.encode(codes.data(), groups, runs.data()));
    }
    append(zero_runs.finish(runs.data()));
  }

  /// The caller has checked that `body` expands to exactly the groups of the tensor.
  void expand(const std::uint8_t* body, float scale, std::span<float> values) const {
    // The loop writes eight digits at a time; only five are valid.
    // NOLINTNEXTLINE(*-member-init): filled chunk by chunk
    std::array<std::uint8_t, chunk_values + sizeof(std::uint64_t)> digits;
    std::size_t at = 0, run = 0; // `run`: groups of zeros that are still to be written
    for (std::size_t i = 0; i < values.size(); i += chunk_values) {
      const std::size_t count = std::min(chunk_values, values.size() - i);
      const std::size_t groups = base3::groups_of(count);
      for (std::size_t g = 0; g < groups;) {
        if (run > 0) {
          const std::size_t now = std::min(run, groups - g);
          std::memset(digits.data() + g * base3::group, base3::zero_digit, now * base3::group);
          g += now;
          run -= now;
        } else if (const std::uint8_t byte = body[at++]; byte < first_run_code) {
          std::memcpy(digits.data() + g++ * base3::group, &base3::digits_of[byte], sizeof(std::uint64_t));
        } else {
          run = run_length(byte);
        }
      }
      (fast_ ? simd::restore : scalar::restore)(digits.data(), count, scale, values.data() + i);
    }
  }

  float multiplier_;
  bool fast_;
};

} // namespace

namespace scalar {

void quantise(const float* values, float* residual, std::size_t count, float scale, std::uint8_t* digits) {
  for (std::size_t i = 0; i < count; ++i) {
    const float total = residual ? residual[i] + values[i] : values[i];
    const int q = 2.0f * std::fabs(total) > scale ? (total > 0 ? 1 : -1) : 0;
    digits[i] = static_cast<std::uint8_t>(q + 1);
    if (residual) residual[i] = total - scale * static_cast<float>(q);
  }
}

void restore(const std::uint8_t* digits, std::size_t count, float scale, float* values) {
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(digits[i] - 1) * scale;
}

} // namespace scalar

std::unique_ptr<Codec> make(double sparsity_multiplier, Implementation implementation) {
  return std::make_unique<ThreelcCodec>(static_cast<float>(sparsity_multiplier), implementation);
}

} // namespace gradflight::codec::threelc
