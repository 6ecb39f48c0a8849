// A codec's parameters have the same meaning in `codec --set` and in a scenario: both accept the same values.
#include "tests/scenarios/support.hpp"

#include "models/codecs/catalogue.hpp"
#include "scenarios/language/decode/canonical.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <rapidcheck.h>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;
using codec::Parameter;

namespace {

/// Returns the settings of a scenario with the codec; nothing if the parameter is rejected.
std::optional<codec::Settings> in_scenario(const codec::CodecInfo& info, const Parameter& parameter,
                                           const std::string& json) {
  const std::string captured = GF_SOURCE_DIR "/workloads/captured/small-cnn";
  const auto text =
      fmt::format(R"({{"platform":{{"nodes":4,"network":{{"topology":"star","link":{{"bandwidth":"1Gbps"}}}}}},
        "workload":"{0}/workload.json","training":{{"exchange":{{"algorithm":"parameter_server"}},
        "compression":{{"tensors":"{0}","codec":"{1}","{2}":{3}}}}}}})",
                  captured, info.name, parameter.name, json);
  try {
    return parse_scenario(text, "s.json").phases.back().training.compression.codec;
  } catch (const InputErrors& errors) {
    const auto pointer = fmt::format("/training/compression/{}", parameter.name);
    for (const auto& error : errors.diagnostics()) CHECK(error.pointer == pointer);
    return std::nullopt;
  }
}

std::optional<codec::Settings> on_command_line(const codec::CodecInfo& info, const Parameter& parameter,
                                               const std::string& text) {
  auto settings = codec::default_settings(info.name);
  try {
    codec::set(settings, parameter.name, text);
    return settings;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// Returns whether the value is allowed; both ways must agree on this and on its meaning.
bool allowed(const codec::CodecInfo& info, const Parameter& parameter, const std::string& text) {
  CAPTURE(info.name, parameter.name, text);
  const bool quoted = parameter.type == Parameter::Type::choice;
  const auto a = in_scenario(info, parameter, quoted ? json_string(text) : text);
  const auto b = on_command_line(info, parameter, text);
  CHECK(a.has_value() == b.has_value());
  if (a && b) CHECK(codec::value_text(*a, parameter) == codec::value_text(*b, parameter));
  return a.has_value();
}

const Parameter& parameter_of(std::string_view codec, std::string_view name, const codec::CodecInfo*& info) {
  info = &*std::ranges::find(codec::catalogue(), codec, &codec::CodecInfo::name);
  return *std::ranges::find(info->parameters, name, &Parameter::name);
}

} // namespace

TEST_CASE("a codec's parameter has the same limits in a scenario and on the command line") {
  const auto is = [](const char* codec, const char* name, const char* text) {
    const codec::CodecInfo* info = nullptr;
    const auto& parameter = parameter_of(codec, name, info);
    return allowed(*info, parameter, text);
  };
  CHECK(is("truncate", "lsb_bits", "0"));
  CHECK(is("truncate", "lsb_bits", "31"));
  CHECK(is("truncate", "lsb_bits", "1.6e1"));
  CHECK_FALSE(is("truncate", "lsb_bits", "32"));
  CHECK_FALSE(is("truncate", "lsb_bits", "-1"));
  CHECK_FALSE(is("truncate", "lsb_bits", "1.5"));
  CHECK(is("inceptionn", "error_bound_log2", "-14"));
  CHECK(is("inceptionn", "error_bound_log2", "-1"));
  CHECK_FALSE(is("inceptionn", "error_bound_log2", "0"));
  CHECK_FALSE(is("inceptionn", "error_bound_log2", "-15"));
  CHECK(is("threelc", "sparsity_multiplier", "1"));
  CHECK(is("threelc", "sparsity_multiplier", "1.9999"));
  CHECK_FALSE(is("threelc", "sparsity_multiplier", "2"));
  CHECK_FALSE(is("threelc", "sparsity_multiplier", "1.99999999999")); // 2 as float32
  CHECK(is("ternary", "seed", "9223372036854775808"));
  CHECK(is("ternary", "seed", "18446744073709551615"));
  CHECK_FALSE(is("ternary", "seed", "18446744073709551616"));
  CHECK_FALSE(is("ternary", "seed", "-1"));
  CHECK(is("inceptionn", "variant", "promote"));
  CHECK_FALSE(is("inceptionn", "variant", "promoted"));
  for (const char* sparse : {"topk", "bitmap_sparse"}) {
    CHECK(is(sparse, "density", "1"));
    CHECK(is(sparse, "density", "1e-9"));
    CHECK_FALSE(is(sparse, "density", "0"));
    CHECK_FALSE(is(sparse, "density", "1.0001"));
  }
}

TEST_CASE("no number is a codec's parameter in one place only") {
  for (const auto& info : codec::catalogue()) {
    for (const auto& parameter : info.parameters) {
      CHECK(allowed(info, parameter, std::string(parameter.initial)));
      if (parameter.type == Parameter::Type::choice) continue;
      CHECK(rc::check(fmt::format("{} of {}", parameter.name, info.name), [&] {
        const auto about = *rc::gen::element(parameter.min, parameter.max, 0.0);
        const auto text = *rc::gen::oneOf(
            rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t v) { return fmt::format("{}", v); }),
            rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t v) { return fmt::format("{}", v); }),
            rc::gen::map(
                rc::gen::inRange(-3, 4),
                [&](int step) { return fmt::format("{}", static_cast<std::int64_t>(std::min(about, 9e15)) + step); }),
            rc::gen::map(rc::gen::inRange(-1000, 1000),
                         [&](int step) { return fmt::format("{}", about + step * 0.001); }));
        allowed(info, parameter, text);
      }));
    }
  }
}

TEST_CASE("a codec's largest seed comes back from the canonical form") {
  const codec::CodecInfo* info = nullptr;
  const auto& seed = parameter_of("ternary", "seed", info);
  const std::string largest = "18446744073709551615";
  CHECK(in_scenario(*info, seed, largest)->seed == UINT64_MAX);
  const std::string captured = GF_SOURCE_DIR "/workloads/captured/small-cnn";
  const auto scenario = parse_scenario(
      fmt::format(R"({{"platform":{{"nodes":4,"network":{{"topology":"star","link":{{"bandwidth":"1Gbps"}}}}}},
        "workload":"{0}/workload.json","training":{{"exchange":{{"algorithm":"parameter_server"}},
        "compression":{{"tensors":"{0}","codec":"ternary","seed":{1}}}}}}})",
                  captured, largest),
      "s.json");
  CHECK_THAT(canonical_json(scenario), Catch::Contains("\"seed\": " + largest));
}
