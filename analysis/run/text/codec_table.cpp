#include "analysis/run/text/codec_table.hpp"

#include "analysis/run/files/json_text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 4> class_bits = {"2", "10", "18", "34"}; ///< payload and tag, as in Table III

double share(const codec::Statistics& s, std::size_t index) {
  return s.values > 0 ? static_cast<double>((*s.classes)[index]) / static_cast<double>(s.values) : 0.0;
}

Json json_of(const codec::Statistics& s) {
  Json object;
  object["values"] = s.values;
  object["dense_bytes"] = json_count(s.dense_bytes());
  object["encoded_bytes"] = s.encoded_bytes;
  object["ratio"] = s.ratio();
  object["bits_per_value"] = s.bits_per_value();
  object["not_compared"] = s.values - s.compared;
  object["largest_magnitude"] = s.largest_magnitude;
  object["max_error"] = s.largest_error;
  object["error_bound"] = s.bound ? Json(*s.bound) : Json();
  object["values_above_bound"] = s.bound ? Json(s.above_bound) : Json();
  object["l2_error"] = s.l2_error();
  object["relative_l2_error"] = s.relative_l2();
  object["bias"] = s.bias();
  if (s.classes)
    for (std::size_t c = 0; c < class_bits.size(); ++c)
      object["class_shares"][fmt::format("{}bit", class_bits[c])] = share(s, c);
  return object;
}

std::string row(const std::string& name, std::size_t width, const codec::Statistics& s) {
  std::string text =
      fmt::format("{:<{}}  {:>10}  {:>8.4g}  {:>9.4g}", name, width, s.values, s.ratio(), s.bits_per_value());
  if (s.classes)
    for (std::size_t c = 0; c < class_bits.size(); ++c) text += fmt::format("  {:>6.2f}", 100 * share(s, c));
  text += fmt::format("  {:>10.4g}  {:>10}  {:>10.4g}  {:>10.3g}", s.largest_error,
                      s.bound ? fmt::format("{:.4g}", *s.bound) : "none", s.relative_l2(), s.bias());
  return text + '\n';
}

} // namespace

codec::Statistics total_of(const std::vector<MeasuredTensor>& all) {
  codec::Statistics total;
  for (const MeasuredTensor& m : all) {
    const codec::Statistics& s = m.statistics;
    total.tensors += s.tensors;
    total.values += s.values;
    total.encoded_bytes += s.encoded_bytes;
    total.compared += s.compared;
    total.largest_magnitude = std::max(total.largest_magnitude, s.largest_magnitude);
    total.largest_error = std::max(total.largest_error, s.largest_error);
    total.squared_error += s.squared_error;
    total.squared_values += s.squared_values;
    total.error_sum += s.error_sum;
    total.above_bound += s.above_bound;
    if (s.bound) total.bound = std::max(total.bound.value_or(0), *s.bound);
    if (!s.classes) continue;
    if (!total.classes) total.classes.emplace();
    for (std::size_t c = 0; c < s.classes->size(); ++c) (*total.classes)[c] += (*s.classes)[c];
  }
  return total;
}

nlohmann::ordered_json codec_statistics_json(const std::string& codec, const std::vector<MeasuredTensor>& all) {
  Json object;
  object["codec"] = codec;
  object["tensors"] = Json::array();
  for (const MeasuredTensor& m : all) {
    Json one;
    one["name"] = m.name;
    one.update(json_of(m.statistics));
    object["tensors"].push_back(std::move(one));
  }
  object["total"] = json_of(total_of(all));
  return object;
}

std::string codec_statistics_table(const std::vector<MeasuredTensor>& all) {
  const codec::Statistics total = total_of(all);
  std::size_t width = 6;
  for (const MeasuredTensor& m : all) width = std::max(width, m.name.size());
  std::string text = fmt::format("{:<{}}  {:>10}  {:>8}  {:>9}", "tensor", width, "values", "ratio", "bits/value");
  if (total.classes)
    for (const char* bits : class_bits) text += fmt::format("  {:>6}", fmt::format("{}b %", bits));
  text += fmt::format("  {:>10}  {:>10}  {:>10}  {:>10}\n", "max error", "bound", "L2 error", "bias");
  for (const MeasuredTensor& m : all) text += row(m.name, width, m.statistics);
  if (all.size() > 1) text += row("all", width, total);
  return text;
}

} // namespace gradflight
