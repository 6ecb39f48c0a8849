#include "scenarios/language/sweeps/sweep_formulas.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <algorithm>
#include <charconv>

namespace gradflight {

FormulaForm form_of(const SweepFormula& formula) {
  FormulaForm form{formula.name, {}, Node::of(formula.text)};
  form.plain = formula.against == "time_s" || (formula.against.empty() && formula.dimension != Dimension::time);
  if (!form.plain && !formula.against.empty()) form.against = Node::of(formula.against);
  return form;
}

std::vector<std::optional<WhereValue>> formula_values(const std::vector<SweepFormula>& formulas,
                                                      const PointValue& value, std::optional<WhereError>* last_error) {
  std::vector<std::optional<WhereValue>> found;
  for (const auto& formula : formulas) {
    std::vector<WhereValue> names;
    for (const auto& name : formula.names) {
      auto one = name.kind == SweepFormula::Name::Kind::formula ? found[name.index] : value(name);
      if (one) names.push_back(std::move(*one));
    }
    found.emplace_back();
    if (names.size() < formula.names.size()) continue;
    try {
      found.back() = formula.value->value(names, true);
    } catch (const WhereError& error) { // not a number: the cell stays empty
      if (last_error != nullptr && &formula == &formulas.back()) last_error->emplace(error);
    }
  }
  return found;
}

const Node* value_at(const Node& root, std::string_view path) {
  const Node* node = &root;
  while (node != nullptr && !path.empty()) {
    const auto end = std::min(path.find('.'), path.size());
    const auto key = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (node->kind != Node::Kind::list) {
      node = node->find(key);
      continue;
    }
    std::size_t item = node->items.size();
    std::from_chars(key.data(), key.data() + key.size(), item);
    node = item < node->items.size() ? &node->items[item] : nullptr;
  }
  return node;
}

Node whole_scenario(const Scenario& scenario) { return scenario_table().show(scenario); }

} // namespace gradflight
