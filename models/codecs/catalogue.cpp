#include "models/codecs/catalogue.hpp"

#include "base/nearest_name.hpp"
#include "models/codecs/selection/sparse.hpp"
#include "models/codecs/values/bf16.hpp"
#include "models/codecs/values/fp16.hpp"
#include "models/codecs/values/inceptionn.hpp"
#include "models/codecs/values/onebit.hpp"
#include "models/codecs/values/quantize8.hpp"
#include "models/codecs/values/ternary.hpp"
#include "models/codecs/values/threelc.hpp"
#include "models/codecs/values/truncate.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace gradflight::codec {
namespace {

using Type = Parameter::Type;

struct Entry {
  CodecInfo info;
  double (*nominal_ratio)(const Settings&);
  std::unique_ptr<Codec> (*make)(const Settings&, Implementation);
};

Entry entry(std::string_view name, std::string_view meaning, std::vector<Parameter> parameters,
            double (*nominal_ratio)(const Settings&), std::unique_ptr<Codec> (*make)(const Settings&, Implementation)) {
  return {{name, meaning, std::move(parameters), false}, nominal_ratio, make};
}

template <int value> double always(const Settings&) { return value; }

Parameter density(std::string_view initial) {
  return {.name = "density",
          .type = Type::number,
          .member = &Settings::density,
          .initial = initial,
          .meaning = "share of the elements that is sent",
          .min = 0,
          .max = 1,
          .above_min = true};
}

std::vector<Entry> make_entries() {
  std::vector<Entry> all;
  all.push_back(entry("inceptionn", "INCEPTIONN's lossy float codec: 0, 8, 16 or 32 bits by exponent, 2-bit tags",
                      {{.name = "error_bound_log2",
                        .type = Type::integer,
                        .member = &Settings::error_bound_log2,
                        .initial = "-10",
                        .meaning = "binary logarithm of the error bound",
                        .min = -14,
                        .max = -1},
                       {.name = "variant",
                        .type = Type::choice,
                        .member = &Settings::variant,
                        .initial = "window",
                        .meaning = "rule for the 8-bit class (docs/codecs.md)",
                        .choices = {"window", "literal", "promote"}}},
                      always<6>, [](const Settings& s, Implementation i) {
                        return inceptionn::make(-s.error_bound_log2, s.variant, i);
                      }));
  all.push_back(entry(
      "truncate", "every float32 without its lowest bits",
      {{.name = "lsb_bits",
        .type = Type::integer,
        .member = &Settings::lsb_bits,
        .initial = "16",
        .meaning = "low bits dropped",
        .min = 0,
        .max = 31}},
      [](const Settings& s) { return 32.0 / (32 - s.lsb_bits); },
      [](const Settings& s, Implementation i) { return truncate::make(s.lsb_bits, i); }));
  all.push_back(entry("quantize8", "8-bit integers scaled by the largest magnitude", {}, always<4>,
                      [](const Settings&, Implementation i) { return quantize8::make(i); }));
  all.push_back(entry("threelc", "3LC: three values, error accumulation, base-3^5, zero runs",
                      {{.name = "sparsity_multiplier",
                        .type = Type::number,
                        .member = &Settings::sparsity_multiplier,
                        .initial = "1",
                        .meaning = "factor of the scale; a larger factor gives more zeros",
                        .min = 1,
                        .max = 2,
                        .below_max = true}},
                      always<20>,
                      [](const Settings& s, Implementation i) { return threelc::make(s.sparsity_multiplier, i); }));
  all.push_back(entry("ternary", "random values of three kinds that are right on average, base-3^5",
                      {{.name = "seed",
                        .type = Type::integer,
                        .member = &Settings::seed,
                        .initial = "0",
                        .meaning = "seed of the random numbers",
                        .min = 0,
                        .max = two_to_64,
                        .below_max = true}},
                      always<20>, [](const Settings& s, Implementation i) { return ternary::make(s.seed, i); }));
  all.push_back(entry("onebit", "the sign of each value, with the mean of each sign", {}, always<32>,
                      [](const Settings&, Implementation i) { return onebit::make(i); }));
  all.push_back(entry(
      "bitmap_sparse", "the largest entries, marked in a bitmap", {density("0.05")},
      [](const Settings& s) { return 32 / (1 + 32 * s.density); },
      [](const Settings& s, Implementation i) { return bitmap_sparse::make(s.density, i); }));
  all.push_back(entry(
      "topk", "the largest entries, with their indices", {density("0.001")},
      [](const Settings& s) { return 1 / (2 * s.density); },
      [](const Settings& s, Implementation i) { return topk::make(s.density, i); }));
  all.push_back(entry("fp16", "IEEE binary16, rounded to nearest even", {}, always<2>,
                      [](const Settings&, Implementation i) { return fp16::make(i); }));
  all.push_back(entry("bf16", "bfloat16, rounded to nearest even", {}, always<2>,
                      [](const Settings&, Implementation) { return bf16::make(); }));
  for (Entry& e : all) {
    Settings settings;
    settings.density = 1;
    e.info.keeps_residual = e.make(settings, Implementation::scalar)->keeps_residual();
  }
  return all;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

const Entry& find(std::string_view name) {
  for (const Entry& e : entries())
    if (e.info.name == name) return e;
  std::vector<std::string> names;
  for (const Entry& e : entries()) names.emplace_back(e.info.name);
  throw std::invalid_argument(fmt::format("unknown codec \"{}\"{}", name, did_you_mean(name, names)));
}

} // namespace

const std::vector<CodecInfo>& catalogue() {
  static const std::vector<CodecInfo> all = [] {
    std::vector<CodecInfo> infos;
    for (const Entry& e : entries()) infos.push_back(e.info);
    return infos;
  }();
  return all;
}

Settings default_settings(std::string_view name) {
  const Entry& e = find(name);
  Settings settings;
  settings.name = name;
  for (const Parameter& p : e.info.parameters) assign(settings, p, p.initial);
  return settings;
}

void set(Settings& settings, std::string_view parameter, std::string_view value) {
  const Entry& e = find(settings.name);
  std::vector<std::string> names;
  for (const Parameter& p : e.info.parameters) {
    names.emplace_back(p.name);
    if (p.name != parameter) continue;
    if (assign(settings, p, value)) return;
    throw std::invalid_argument(
        fmt::format("{} of codec {} is \"{}\"; expected {}", parameter, settings.name, value, range_text(p)));
  }
  if (names.empty())
    throw std::invalid_argument(fmt::format("codec {} has no parameters: leave \"{}\" out", settings.name, parameter));
  throw std::invalid_argument(
      fmt::format("codec {} has no parameter \"{}\"{}", settings.name, parameter, did_you_mean(parameter, names)));
}

std::unique_ptr<Codec> make_codec(const Settings& settings, Implementation implementation) {
  return find(settings.name).make(settings, implementation);
}

double nominal_ratio(const Settings& settings) { return find(settings.name).nominal_ratio(settings); }

} // namespace gradflight::codec
