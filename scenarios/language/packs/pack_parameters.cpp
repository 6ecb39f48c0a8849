#include "scenarios/language/packs/pack_reader.hpp"

#include "base/human.hpp"
#include "base/paths.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gradflight {

const Node* PackFiles::find(const std::string& path, const Node& at, const std::string& pointer, PackReport& report) {
  auto [entry, fresh] = files_.try_emplace(path);
  if (fresh) {
    const auto content = read_file(path);
    if (content.error.empty())
      entry->second = parse_json(content.text, report.document().sources.add(path), report.document().problems);
    else
      report(at.position, pointer, fmt::format("\"{}\": {}", path, content.error));
  }
  return entry->second ? &*entry->second : nullptr;
}

std::optional<Literal> literal_of(const Node& node) {
  if (is_number(node)) return Literal{node.number, {}, {}};
  if (!is_text(node)) return std::nullopt;
  const auto dimension = dimension_of(node.text);
  if (!dimension) return std::nullopt;
  const auto number_end = node.text.find_first_not_of("0123456789.+-eE");
  return Literal{parse_quantity(node.text, *dimension), dimension, node.text.substr(number_end)};
}

namespace {

/// Returns a bound or an uncertainty; it must have the same dimension as the literal.
std::optional<double> amount_like(const Literal& literal, const Node& node, const std::string& pointer,
                                  PackReport& report) {
  const auto amount = literal_of(node);
  if (amount && amount->dimension == literal.dimension) return amount->value;
  report(node.position, pointer,
         fmt::format("expected {}, like the value; got {}",
                     literal.dimension ? fmt::format("a {} with its unit", dimension_name(*literal.dimension))
                                       : std::string("a number"),
                     brief_text(node)));
  return std::nullopt;
}

std::optional<Literal> read_literal(const ParameterForm& form, const Node& root, const std::string& pointer,
                                    PackReport& report) {
  std::optional<Literal> first;
  for (std::size_t i = 0; i < form.at.size(); ++i) {
    const auto& at = form.at[i];
    const auto here = form.at.size() > 1 ? fmt::format("{}/at/{}", pointer, i) : pointer + "/at";
    const auto* node = node_at(root, at.text);
    const auto literal = node == nullptr ? std::nullopt : literal_of(*node);
    if (node == nullptr)
      report(at.position, here, fmt::format("{} does not exist in {}", json_string(at.text), form.file.text));
    else if (!literal)
      report(at.position, here,
             fmt::format("expected a number or a quantity with a unit at that place, got {}", brief_text(*node)));
    else if (first && (literal->value != first->value || literal->dimension != first->dimension))
      report(at.position, here,
             fmt::format("the value at that place, {}, differs from the one at the first place", brief_text(*node)));
    else
      first = literal;
    if (!literal) return std::nullopt;
  }
  return first;
}

void read_bounds(PackParameter& parameter, const ParameterForm& form, const Literal& literal, PackReport& report) {
  const auto pointer = parameter.pointer + "/bounds";
  if (form.bounds.size() != 2)
    return report(form.bounds[2].position, pointer, "expected two bounds: the smallest and the largest value");
  const auto low = amount_like(literal, form.bounds[0], pointer + "/0", report);
  const auto high = amount_like(literal, form.bounds[1], pointer + "/1", report);
  if (!low || !high) return;
  parameter.low = *low;
  parameter.high = *high;
  parameter.bounds_at = {form.bounds[0].position, form.bounds[1].position};
  if (*low >= *high)
    return report(form.bounds[1].position, pointer + "/1", "the upper bound must be above the lower bound");
  if (parameter.logarithmic && *low <= 0)
    report(form.bounds[0].position, pointer + "/0",
           "must be above zero for \"scale\": \"log\"; with \"scale\": \"linear\" it may be 0");
  if (literal.value < *low || literal.value > *high)
    report(form.bounds[0].position, pointer,
           fmt::format("the value, {}, is outside these bounds", parameter.text(literal.value)));
}

} // namespace

std::vector<PackParameter> read_parameters(const std::vector<ParameterForm>& forms, PackReport& report) {
  std::vector<PackParameter> parameters;
  PackFiles files;
  std::set<std::pair<std::string, std::string>> places;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto& form = forms[i];
    PackParameter p;
    p.name = form.name.text;
    p.why = form.why;
    p.file = report.beside(form.file.text);
    p.logarithmic = form.logarithmic;
    p.pointer = fmt::format("/fitted/{}", i);
    for (const auto& at : form.at) {
      p.at.push_back(at.text);
      if (!places.emplace(real_path(p.file).string(), at.text).second)
        report(at.position, p.pointer + "/at", "another fitted number has the same place");
    }
    if (const auto* root = files.find(p.file, form.file, p.pointer + "/file", report)) {
      if (const auto literal = read_literal(form, *root, p.pointer, report)) {
        p.value = literal->value;
        p.dimension = literal->dimension;
        p.unit = literal->unit;
        read_bounds(p, form, *literal, report);
        if (form.uncertainty)
          p.uncertainty = amount_like(*literal, *form.uncertainty, p.pointer + "/uncertainty", report);
      }
    }
    const bool twice = std::ranges::find(parameters, p.name, &PackParameter::name) != parameters.end();
    if (twice) report(form.name.position, p.pointer + "/name", fmt::format("{} appears twice", json_string(p.name)));
    parameters.push_back(std::move(p));
  }
  return parameters;
}

std::string PackParameter::text(double v) const {
  if (!dimension) return Node::of(v).text;
  return fmt::format("{:.12g}{}", v / parse_quantity('1' + unit, *dimension), unit);
}

Node PackParameter::node(double v) const {
  return dimension ? Node::of(format_quantity(v, *dimension, UnitStyle::base)) : Node::of(v);
}

double PackParameter::rounded(double v, int digits) const {
  const double one = dimension ? parse_quantity('1' + unit, *dimension) : 1;
  const double number = rounded_to(v / one, digits);
  // Parsed from text like the literal, because a product may differ in its last bit.
  return dimension ? parse_quantity(text(number * one), *dimension) : number;
}

std::vector<Replacement> replacements(const Pack& pack, const std::vector<double>& values) {
  std::vector<Replacement> all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& parameter = pack.parameters[i];
    const auto file = real_path(parameter.file);
    for (const auto& at : parameter.at) all.push_back({file, at, parameter.node(values[i])});
  }
  return all;
}

} // namespace gradflight
