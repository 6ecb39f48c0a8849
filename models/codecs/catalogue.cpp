#include "models/codecs/catalogue.hpp"

#include "models/codecs/fp16.hpp"
#include "models/codecs/onebit.hpp"
#include "models/codecs/quantize8.hpp"
#include "models/codecs/sparse.hpp"
#include "models/codecs/ternary.hpp"
#include "models/codecs/threelc.hpp"
#include "models/codecs/truncate.hpp"
#include "models/nearest_name.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight::codec {
namespace {

using inceptionn::Variant;

/// The whole text as a number in a range, or nothing.
template <class T> bool parse(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

template <class T> bool parse_within(std::string_view text, T low, T high, T& target) {
  T value{};
  if (!parse(text, value) || !(value >= low) || !(value <= high)) return false;
  target = value;
  return true;
}

bool set_variant(Settings& s, std::string_view text) {
  if (text == "window")
    s.variant = Variant::window;
  else if (text == "literal")
    s.variant = Variant::literal;
  else if (text == "promote")
    s.variant = Variant::promote;
  else
    return false;
  return true;
}

bool set_multiplier(Settings& s, std::string_view text) {
  double value = 0;
  // As float32, which the wire's scale is made with, the multiplier has to be below 2 as well.
  if (!parse_within(text, 1.0, 2.0, value) || static_cast<float>(value) >= 2.0f) return false;
  s.sparsity_multiplier = value;
  return true;
}

bool set_density(Settings& s, std::string_view text) {
  double value = 0;
  if (!parse_within(text, 0.0, 1.0, value) || value == 0) return false;
  s.density = value;
  return true;
}

/// A parameter as people see it, and how its text is taken in.
struct Parameter {
  ParameterInfo info;
  bool (*set)(Settings&, std::string_view);
};

struct Entry {
  CodecInfo info;
  std::vector<Parameter> parameters;
  std::unique_ptr<Codec> (*make)(const Settings&, Implementation);
};

Entry entry(std::string_view name, std::string_view meaning, std::vector<Parameter> parameters,
            std::unique_ptr<Codec> (*make)(const Settings&, Implementation)) {
  Entry result{{name, meaning, {}, false}, std::move(parameters), make};
  for (const Parameter& p : result.parameters) result.info.parameters.push_back(p.info);
  return result;
}

Parameter density(std::string_view initial) {
  return {{"density", "number", initial, "above 0, at most 1", "fraction of the entries that is sent"}, set_density};
}

std::vector<Entry> make_entries() {
  std::vector<Entry> all;
  all.push_back(entry(
      "inceptionn", "INCEPTIONN's lossy float codec: 0, 8, 16 or 32 bits by exponent, 2-bit tags",
      {{{"error_bound_log2", "integer", "-10", "-14 to -1", "b of the error bound 2^b"},
        [](Settings& s, std::string_view t) { return parse_within(t, -14, -1, s.error_bound_log2); }},
       {{"variant", "text", "window", "window, literal or promote", "how the 8-bit class is aligned"}, set_variant}},
      [](const Settings& s, Implementation i) { return inceptionn::make(-s.error_bound_log2, s.variant, i); }));
  all.push_back(entry("truncate", "the lowest bits of every float32 dropped",
                      {{{"lsb_bits", "integer", "16", "0 to 31", "bits dropped"},
                        [](Settings& s, std::string_view t) { return parse_within(t, 0, 31, s.lsb_bits); }}},
                      [](const Settings& s, Implementation i) { return truncate::make(s.lsb_bits, i); }));
  all.push_back(entry("quantize8", "8-bit integers scaled by the largest magnitude", {},
                      [](const Settings&, Implementation i) { return quantize8::make(i); }));
  all.push_back(
      entry("threelc", "3LC: three values, error accumulation, base-3^5, zero runs",
            {{{"sparsity_multiplier", "number", "1", "at least 1, below 2", "factor on the scale"}, set_multiplier}},
            [](const Settings& s, Implementation i) { return threelc::make(s.sparsity_multiplier, i); }));
  all.push_back(entry("ternary", "three values drawn at random, right on average, base-3^5",
                      {{{"seed", "integer", "0", "0 to 2^64 - 1", "key of the random numbers"},
                        [](Settings& s, std::string_view t) { return parse(t, s.seed); }}},
                      [](const Settings& s, Implementation i) { return ternary::make(s.seed, i); }));
  all.push_back(entry("onebit", "signs, with the mean of each", {},
                      [](const Settings&, Implementation i) { return onebit::make(i); }));
  all.push_back(entry("bitmap_sparse", "the largest entries, found by a bitmap", {density("0.05")},
                      [](const Settings& s, Implementation i) { return bitmap_sparse::make(s.density, i); }));
  all.push_back(entry("topk", "the largest entries, with their indices", {density("0.001")},
                      [](const Settings& s, Implementation i) { return topk::make(s.density, i); }));
  all.push_back(entry("fp16", "IEEE binary16, rounded to nearest even", {},
                      [](const Settings&, Implementation i) { return fp16::make(i); }));
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
  const std::string near = nearest_name(name, names);
  throw std::invalid_argument(fmt::format("unknown codec '{}'; {}", name,
                                          near.empty() ? fmt::format("known: {}", fmt::join(names, ", "))
                                                       : fmt::format("did you mean '{}'?", near)));
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
  for (const Parameter& p : e.parameters) p.set(settings, p.info.initial);
  return settings;
}

void set(Settings& settings, std::string_view parameter, std::string_view value) {
  const Entry& e = find(settings.name);
  std::vector<std::string> names;
  for (const Parameter& p : e.parameters) {
    names.emplace_back(p.info.name);
    if (p.info.name != parameter) continue;
    if (p.set(settings, value)) return;
    throw std::invalid_argument(
        fmt::format("{} of codec {} is '{}'; allowed: {}", parameter, settings.name, value, p.info.range));
  }
  const std::string near = nearest_name(parameter, names);
  std::string advice = names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
  if (!near.empty()) advice = fmt::format("did you mean '{}'?", near);
  throw std::invalid_argument(fmt::format("codec {} has no parameter '{}'; {}", settings.name, parameter, advice));
}

std::unique_ptr<Codec> make_codec(const Settings& settings, Implementation implementation) {
  return find(settings.name).make(settings, implementation);
}

} // namespace gradflight::codec
