// The input numbers of a pack's scenarios, and the modelling decisions.
#include "base/paths.hpp"
#include "scenarios/language/packs/pack_reader.hpp"

#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace gradflight {
namespace {

/// Collects every quantity of time in `node`.
void collect_times(const Node& node, const std::string& pointer, std::vector<PackLiteral>& found) {
  for (const auto& member : node.members) collect_times(member.value, pointer + '/' + pointer_token(member.key), found);
  for (std::size_t i = 0; i < node.items.size(); ++i)
    collect_times(node.items[i], fmt::format("{}/{}", pointer, i), found);
  if (!is_text(node)) return;
  const auto literal = literal_of(node);
  if (literal && literal->dimension == Dimension::time) found.push_back({pointer, literal->value, literal->dimension});
}

void read_place(const std::string& at, const Node& root, const InputNumbersForm& form, Position position,
                const std::string& pointer, InputNumbers& numbers, PackReport& report) {
  const auto* node = node_at(root, at);
  if (node == nullptr)
    return report(position, pointer, fmt::format("{} does not exist in {}", json_string(at), form.file.text));
  if (const auto literal = literal_of(*node)) {
    constexpr std::array timed = {Dimension::time, Dimension::time_per_byte, Dimension::flop_rate};
    if (form.time && std::ranges::find(timed, literal->dimension) == timed.end())
      return report(position, pointer,
                    fmt::format("expected a time or a compute rate at that place, got {}", brief_text(*node)));
    numbers.literals.push_back({at, literal->value, literal->dimension});
    return;
  }
  const auto before = numbers.literals.size();
  collect_times(*node, at, numbers.literals);
  if (numbers.literals.size() == before)
    report(position, pointer, fmt::format("expected a number or times at that place, got {}", brief_text(*node)));
}

} // namespace

std::vector<InputNumbers> read_input_numbers(const std::vector<InputNumbersForm>& forms, PackReport& report) {
  std::vector<InputNumbers> all;
  PackFiles files;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto& form = forms[i];
    const auto pointer = fmt::format("/given/{}", i);
    for_each_binding(form.keys, [&](const Binding& binding) {
      auto& problems = report.document().problems;
      const auto before = report.count();
      InputNumbers numbers{filled(form.name, binding, pointer + "/name", problems).text, form.why, {}, {}, form.time};
      numbers.file = report.beside(filled(form.file, binding, pointer + "/file", problems).text);
      if (report.count() > before) return;
      if (std::ranges::find(all, numbers.name, &InputNumbers::name) != all.end())
        report(form.name.position, pointer + "/name", fmt::format("{} appears twice", json_string(numbers.name)));
      const auto* root = files.find(numbers.file, form.file, pointer + "/file", report);
      for (std::size_t k = 0; root != nullptr && k < form.at.size(); ++k) {
        const auto here = form.at.size() > 1 ? fmt::format("{}/at/{}", pointer, k) : pointer + "/at";
        read_place(filled(form.at[k], binding, here, problems).text, *root, form, form.at[k].position, here, numbers,
                   report);
      }
      all.push_back(std::move(numbers));
    });
  }
  return all;
}

std::vector<PackChoice> read_choices(const std::vector<ChoiceForm>& forms, const Pack& pack, PackReport& report) {
  PackNames names{"an experiment of this pack", "experiments", {}};
  for (std::size_t i = 0; i < pack.experiments.size(); ++i) names.index.emplace(pack.experiments[i].name, i);
  std::vector<PackChoice> all;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto& form = forms[i];
    PackChoice choice{form.what, form.alternatives, form.tried_on, form.why, {}, {}};
    const auto pointer = fmt::format("/choices/{}/without", i);
    if (form.without) {
      for (const auto& member : form.without->set)
        choice.without.push_back(setting_of(member, {}, pointer, pack.file, report));
      for_each_text(form.without->experiments, form.keys, pointer + "/experiments", report,
                    [&](const std::string& name, Position at, const std::string& here) {
                      if (const auto index = index_of(names, name, at, here, report))
                        choice.experiments.push_back(*index);
                    });
      if (form.without->experiments.empty()) {
        choice.experiments.resize(pack.experiments.size());
        std::iota(choice.experiments.begin(), choice.experiments.end(), 0);
      }
    }
    std::ranges::sort(choice.experiments);
    all.push_back(std::move(choice));
  }
  return all;
}

Node PackLiteral::node(double v) const {
  return dimension ? Node::of(format_quantity(v, *dimension, UnitStyle::base)) : Node::of(v);
}

double InputNumbers::sign() const {
  return !literals.empty() && literals.front().dimension == Dimension::flop_rate ? -1 : 1;
}

std::vector<Replacement> replacements(const InputNumbers& numbers, double factor) {
  std::vector<Replacement> all;
  const auto file = real_path(numbers.file);
  for (const auto& literal : numbers.literals)
    all.push_back({file, literal.pointer, literal.node(literal.value * factor)});
  return all;
}

} // namespace gradflight
