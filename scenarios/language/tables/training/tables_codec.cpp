#include "scenarios/language/tables/training/training_tables.hpp"

#include "base/letters.hpp"
#include "models/codecs/catalogue.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

using codec::Parameter;

/// A parameter, and the codecs with this parameter.
struct Shared {
  const Parameter* parameter;
  std::vector<std::string_view> codecs;
  std::vector<std::string_view> initial; ///< initial value for each of these codecs
};

std::vector<Shared> all_parameters() {
  std::vector<Shared> all;
  for (const auto& info : codec::catalogue()) {
    for (const auto& parameter : info.parameters) {
      const auto same = [&](const Shared& other) { return other.parameter->name == parameter.name; };
      auto found = std::ranges::find_if(all, same);
      if (found == all.end()) found = all.insert(all.end(), {&parameter, {}, {}});
      found->codecs.push_back(info.name);
      found->initial.push_back(parameter.initial);
    }
  }
  return all;
}

/// Returns "0.05 (bitmap_sparse), 0.001 (topk)"; without codecs if the values are equal.
std::string initial_text(const Shared& shared) {
  const bool quoted = shared.parameter->type == Parameter::Type::choice;
  const auto text = [&](std::string_view value) { return quoted ? json_string(value) : std::string(value); };
  if (std::ranges::count(shared.initial, shared.initial.front()) == std::ssize(shared.initial))
    return text(shared.initial.front());
  std::vector<std::string> each;
  for (std::size_t i = 0; i < shared.codecs.size(); ++i)
    each.push_back(fmt::format("{} ({})", text(shared.initial[i]), shared.codecs[i]));
  return joined(each);
}

/// The parameter's value as text for codec::assign.
Value<std::string> value_of(const Parameter& parameter) {
  if (parameter.type == Parameter::Type::choice) {
    const std::vector<std::string> names(parameter.choices.begin(), parameter.choices.end());
    return mapped<std::size_t, std::string>(
        name_of(fmt::format("a {}", parameter.name), names), [names](std::size_t i) { return names[i]; },
        [names](const std::string& name) {
          return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
        });
  }
  Shape shape{.kind = parameter.type == Parameter::Type::integer ? Shape::Kind::integer : Shape::Kind::number};
  shape.min = parameter.min;
  shape.max = parameter.max;
  shape.above_min = parameter.above_min;
  shape.below_max = parameter.below_max;
  return {shape,
          [shape, &parameter](const Node& node, Decoder& decoder) -> std::optional<std::string> {
            codec::Settings trial;
            if (is_number(node) && codec::assign(trial, parameter, node.text)) return node.text;
            wrong_kind(shape, node, decoder);
            return std::nullopt;
          },
          [](const std::string& text) {
            std::vector<Problem> none; // unused: the text of a number is valid JSON
            return *parse_json(text, 0, none);
          }};
}

std::string sentence(std::string_view meaning) { return capitalised(std::string(meaning)) + "."; }

} // namespace

Value<std::optional<codec::Settings>> codec_name() {
  std::vector<std::string> names;
  for (const auto& info : codec::catalogue()) names.emplace_back(info.name);
  return mapped<std::size_t, std::optional<codec::Settings>>(
      name_of("a codec", names), [names](std::size_t i) { return std::optional(codec::default_settings(names[i])); },
      [names](const std::optional<codec::Settings>& s) {
        return static_cast<std::size_t>(std::ranges::find(names, s->name) - names.begin());
      });
}

void codec_parameters(Table<CompressionSpec>& table) {
  for (const auto& shared : all_parameters()) {
    const auto& parameter = *shared.parameter;
    const std::vector<std::string> codecs(shared.codecs.begin(), shared.codecs.end());
    table
        .custom<std::string>(
            std::string(parameter.name), value_of(parameter),
            [&parameter](CompressionSpec& c, const std::string& text) { codec::assign(*c.codec, parameter, text); },
            [&parameter](const CompressionSpec& c) { return std::optional(codec::value_text(*c.codec, parameter)); },
            sentence(parameter.meaning))
        .only(
            [codecs](const CompressionSpec& c) {
              return c.codec && std::ranges::find(codecs, c.codec->name) != codecs.end();
            },
            fmt::format("codec {}", fmt::join(codecs, " or ")));
    table.info.fields.back().default_text = initial_text(shared);
  }
}

} // namespace gradflight
