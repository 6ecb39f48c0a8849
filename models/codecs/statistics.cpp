#include "models/codecs/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace gradflight::codec {
namespace {

/// Returns the largest error that a codec may make on a tensor with this largest magnitude (docs/codecs.md).
std::optional<double> bound_of(const Settings& s, double largest) {
  // The final rounding to float32 may exceed this bound by one unit.
  const auto rounded = [&](double bound) { return bound + std::max(std::ldexp(largest, -23), 0x1p-149); };
  if (s.name == "inceptionn") {
    const bool literal = s.variant == inceptionn::Variant::literal;
    return std::ldexp(1.0, literal ? std::max(s.error_bound_log2, -7) : s.error_bound_log2);
  }
  if (s.name == "quantize8") return rounded(largest / 254);
  if (s.name == "threelc") return rounded(largest * s.sparsity_multiplier / 2);
  if (s.name == "ternary") return largest;
  if (s.name == "truncate" && s.lsb_bits <= 23) return std::ldexp(largest, s.lsb_bits - 23);
  if (s.name == "bf16" && largest < 0x1.ffp127) return std::max(std::ldexp(largest, -8), 0x1p-134);
  if (s.name == "fp16" && largest < 65520) return std::max(std::ldexp(largest, -11), 0x1p-25);
  return std::nullopt;
}

double over(double a, double b) { return b > 0 ? a / b : 0.0; }

} // namespace

double Statistics::bits_per_value() const {
  return over(8.0 * static_cast<double>(encoded_bytes), static_cast<double>(values));
}
double Statistics::ratio() const { return over(dense_bytes(), static_cast<double>(encoded_bytes)); }
double Statistics::l2_error() const { return std::sqrt(squared_error); }
double Statistics::relative_l2() const { return over(l2_error(), std::sqrt(squared_values)); }
double Statistics::bias() const { return over(error_sum, static_cast<double>(compared)); }

void add(Statistics& statistics, const Settings& settings, std::span<const float> values) {
  const auto codec = make_codec(settings);
  std::vector<std::byte> bytes;
  std::vector<float> decoded(values.size());
  codec->encode(values, {}, bytes, statistics.tensors);
  if (const DecodeStatus status = codec->decode(bytes, decoded); !status)
    throw std::logic_error("codec " + settings.name + " cannot decode its own stream: " + std::string(status.problem));

  double largest = 0;
  for (const float value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  const std::optional<double> bound = bound_of(settings, largest);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || !std::isfinite(decoded[i])) continue;
    const auto value = static_cast<double>(values[i]);
    const double error = static_cast<double>(decoded[i]) - value;
    ++statistics.compared;
    statistics.largest_error = std::max(statistics.largest_error, std::fabs(error));
    statistics.squared_error += error * error;
    statistics.squared_values += value * value;
    statistics.error_sum += error;
    if (bound && std::fabs(error) > *bound) ++statistics.above_bound;
  }
  ++statistics.tensors;
  statistics.values += values.size();
  statistics.encoded_bytes += bytes.size();
  statistics.largest_magnitude = std::max(statistics.largest_magnitude, largest);
  if (bound) statistics.bound = std::max(statistics.bound.value_or(0), *bound);
  if (settings.name != "inceptionn") return;
  const auto counts =
      inceptionn::count_classes(inceptionn::classes(-settings.error_bound_log2, settings.variant), values);
  if (!statistics.classes) statistics.classes.emplace();
  for (std::size_t c = 0; c < counts.size(); ++c) (*statistics.classes)[c] += counts[c];
}

} // namespace gradflight::codec
