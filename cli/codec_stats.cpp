// `codec stats`: one tensor, or a directory of them, through a codec and back.
#include "analysis/text/human.hpp"
#include "analysis/text/json_text.hpp"
#include "cli/codec.hpp"
#include "cli/codec_settings.hpp"
#include "cli/console.hpp"
#include "cli/exit_codes.hpp"
#include "models/codecs/statistics.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "workloads/code/npy.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 4> class_bits = {"2", "10", "18", "34"}; ///< payload and tag, as in Table III

struct Measured {
  std::string name;
  codec::Statistics statistics;
};

/// The tensors of a directory and those below it, by path; the file itself where it is none.
std::vector<fs::path> tensors_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file() && entry.path().extension() == ".npy") files.push_back(entry.path());
  if (files.empty()) throw InputErrors({{path.string(), 0, 0, "", "holds no .npy files"}});
  std::sort(files.begin(), files.end());
  return files;
}

/// Sums of all; the bound is the largest of theirs.
codec::Statistics total_of(const std::vector<Measured>& all) {
  codec::Statistics total;
  for (const Measured& m : all) {
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

void print_json(const CodecOptions& options, const std::vector<Measured>& all) {
  Json object;
  object["codec"] = options.codec;
  object["tensors"] = Json::array();
  for (const Measured& m : all) {
    Json one;
    one["name"] = m.name;
    one.update(json_of(m.statistics));
    object["tensors"].push_back(std::move(one));
  }
  object["total"] = json_of(total_of(all));
  print_result(json_text(object));
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

void print_table(const std::vector<Measured>& all) {
  const codec::Statistics total = total_of(all);
  std::size_t width = 6;
  for (const Measured& m : all) width = std::max(width, m.name.size());
  std::string text = fmt::format("{:<{}}  {:>10}  {:>8}  {:>9}", "tensor", width, "values", "ratio", "bits/value");
  if (total.classes)
    for (const char* bits : class_bits) text += fmt::format("  {:>6}", fmt::format("{}b %", bits));
  text += fmt::format("  {:>10}  {:>10}  {:>10}  {:>10}\n", "max error", "bound", "L2 error", "bias");
  for (const Measured& m : all) text += row(m.name, width, m.statistics);
  if (all.size() > 1) text += row("all", width, total);
  print_result(text);
  if (total.compared < total.values)
    print_message(fmt::format("gradflight: {} not finite before or after: left out of the errors\n",
                              counted(static_cast<std::int64_t>(total.values - total.compared), "value")));
  if (total.above_bound > 0)
    print_message(fmt::format("gradflight: {} beyond the codec's bound\n",
                              counted(static_cast<std::int64_t>(total.above_bound), "value")));
}

} // namespace

int codec_stats(const CodecOptions& options) {
  const codec::Settings settings = codec_settings(options);
  std::vector<Measured> all;
  std::vector<Diagnostic> errors;
  const auto files = tensors_of(options.in);
  for (const fs::path& file : files) {
    try {
      const NpyTensor tensor = read_npy(file);
      const bool one = files.size() == 1 && file == options.in;
      all.push_back({one ? file.filename().string() : file.lexically_relative(options.in).string(), {}});
      codec::add(all.back().statistics, settings, tensor.values);
    } catch (const NpyError& error) {
      errors.push_back({file.string(), 0, 0, "", error.what()});
    }
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  if (options.json)
    print_json(options, all);
  else
    print_table(all);
  return done;
}

} // namespace gradflight::cli
