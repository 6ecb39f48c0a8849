#include "scenarios/language/sweeps/sweep_formulas.hpp"

#include "base/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

namespace gradflight {
namespace {

using Name = SweepFormula::Name;

/// Collects the paths of all values that are neither lists nor objects.
void leaves_of(const Node& node, const std::string& path, std::vector<std::string>& found) {
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (node.kind == Node::Kind::object)
    for (const auto& member : node.members) leaves_of(member.value, below(member.key), found);
  else if (node.kind == Node::Kind::list)
    for (std::size_t i = 0; i < node.items.size(); ++i) leaves_of(node.items[i], below(std::to_string(i)), found);
  else
    found.push_back(path);
}

bool is_end_of(const std::string& path, const std::string& name) { return path == name || path.ends_with("." + name); }

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

constexpr std::array keywords = {"and", "or",   "not", "true", "false", "min",   "max",
                                 "pow", "log2", "ln",  "sqrt", "ceil",  "floor", "abs"};

} // namespace

struct FormulaReader::Report {
  const FormulaForm& form;
  std::vector<Problem>& problems;
  void operator()(Position at, const std::string& key, std::string message) const {
    problems.push_back({at, "/columns/" + pointer_token(form.name) + key, std::move(message)});
  }
};

void FormulaReader::add(const FormulaForm& form, std::vector<Problem>& problems) {
  if (!added(form, problems)) broken_.push_back(form.name);
}

bool FormulaReader::added(const FormulaForm& form, std::vector<Problem>& problems) {
  const Report report{form, problems};
  if (!good_name(form, report)) return false;
  SweepFormula formula{form.name, form.formula.text, {}, form.position, form.formula.position};
  try {
    formula.value.emplace(form.formula.text,
                          [&](const std::string& name, std::size_t offset) { return meaning(formula, name, offset); });
  } catch (const WhereError& error) {
    auto at = first_character(form.formula.position);
    at.column += static_cast<int>(error.offset);
    if (!error.message.empty()) report(at, form.plain ? "" : "/formula", error.message);
    return false;
  }
  if (sound_ && !(fits_everywhere(formula, report) && has_value_somewhere(formula, report))) return false;
  choose_prediction(form, formula, report);
  sweep_.formulas.push_back(std::move(formula));
  return true;
}

bool FormulaReader::good_name(const FormulaForm& form, const Report& report) const {
  const auto taken = [&](const std::string& name) {
    for (const auto* fixed : {"point", "id", "status", "message", "closed_form_failed"})
      if (name == fixed) return true;
    return std::ranges::any_of(sweep_.formulas,
                               [&](const SweepFormula& f) { return f.name == name || f.column == name; }) ||
           std::ranges::any_of(
               axes_, [&](const AxisColumn& c) { return c.path == name || c.axis_name == name || c.name == name; }) ||
           (quantities_.problem && quantities_.problem(name).empty());
  };
  if (!is_identifier(form.name) || std::ranges::find(keywords, form.name) != keywords.end()) {
    report(form.position, "",
           fmt::format("\"{}\" is not a valid name: use letters, digits and _, and no reserved word such as min",
                       form.name));
    return false;
  }
  std::vector<std::string> columns = {form.name}; // as it may be called once its dimension is known
  for (const auto dimension : dimensions) columns.push_back(form.name + suffix_of(dimension));
  if (const auto found = std::ranges::find_if(columns, taken); found != columns.end()) {
    report(form.position, "", fmt::format("a column \"{}\" already exists", *found));
    return false;
  }
  return true;
}

const Node* FormulaReader::example_scenario() {
  if (!example_ && sound_) {
    example_.emplace();
    for (const auto combination : selected_combinations(sweep_))
      if (const auto point = point_at(sweep_, combination); point.scenario) {
        example_ = whole_scenario(*point.scenario);
        break;
      }
  }
  return example_ && example_->kind == Node::Kind::object ? &*example_ : nullptr;
}

std::size_t FormulaReader::meaning(SweepFormula& formula, const std::string& name, std::size_t offset) {
  Name meant{Name::Kind::formula};
  const auto earlier = std::ranges::find(sweep_.formulas, name, &SweepFormula::name);
  std::vector<std::string> known;
  const auto [paths, columns] = axis_names(axes_);
  if (earlier != sweep_.formulas.end()) {
    meant.index = static_cast<std::size_t>(earlier - sweep_.formulas.begin());
  } else if (std::ranges::any_of(paths, [&](const auto& path) { return is_end_of(path, name); })) {
    meant.kind = Name::Kind::axis;
    meant.index = columns[index_of_path(paths, name, offset, "axis")];
  } else if (quantities_.problem && quantities_.problem(name).empty()) {
    meant.kind = Name::Kind::quantity;
    meant.text = name;
    meant.kind_of = quantities_.example(name);
  } else {
    const auto* scenario = example_scenario();
    if (scenario == nullptr) throw WhereError{offset, {}}; // without a valid point, it may be a key of the scenario
    std::vector<std::string> keys;
    leaves_of(*scenario, "", keys);
    if (std::ranges::none_of(keys, [&](const auto& key) { return is_end_of(key, name); })) {
      if (!quantities_.problem || std::ranges::find(broken_, name) != broken_.end()) throw WhereError{offset, {}};
      for (const auto& each : sweep_.formulas) known.push_back(each.name);
      keys.insert(keys.begin(), paths.begin(), paths.end());
      for (const auto& path : keys)
        if (const auto end = path.substr(path.rfind('.') + 1); is_identifier(end)) known.push_back(end);
      known.insert(known.end(), quantities_.all.begin(), quantities_.all.end());
      const auto near = nearest_name(name, known);
      throw WhereError{offset, fmt::format("\"{}\" is not an axis, a quantity of the result or a key of the scenario{}",
                                           name, near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near))};
    }
    meant.kind = Name::Kind::scenario;
    meant.text = keys[index_of_path(keys, name, offset, "key")];
  }
  const auto at = std::ranges::find(formula.names, meant);
  if (at != formula.names.end()) return static_cast<std::size_t>(at - formula.names.begin());
  formula.names.push_back(std::move(meant));
  return formula.names.size() - 1;
}

bool FormulaReader::fits_everywhere(SweepFormula& formula, const Report& report) {
  auto all = sweep_.formulas;
  all.push_back(formula);
  std::vector<std::vector<WhereValue>> seen(axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i)
    std::ranges::transform(*axes_[i].values, std::back_inserter(seen[i]), where_value);
  std::optional<WhereValue> first;
  std::vector<WhereValue> values, names;
  for (const auto combination : selected_combinations(sweep_)) {
    const auto places = places_at(sweep_, combination);
    values.clear();
    try {
      for (const auto& each : all) {
        names.clear();
        for (const auto& name : each.names) switch (name.kind) {
          case Name::Kind::formula: names.push_back(values[name.index]); break;
          case Name::Kind::axis: names.push_back(seen[name.index][places[axes_[name.index].axis]]); break;
          case Name::Kind::quantity: names.push_back(name.kind_of); break;
          case Name::Kind::scenario: names.push_back(where_value(*value_at(*example_scenario(), name.text))); break;
          }
        values.push_back(each.value->value(names, false));
      }
    } catch (const WhereError& error) {
      auto at = first_character(formula.text_position);
      at.column += static_cast<int>(error.offset);
      report(at, report.form.plain ? "" : "/formula", error.message);
      return false;
    }
    const auto* amount = std::get_if<Amount>(&values.back());
    const auto* before = first ? std::get_if<Amount>(&*first) : nullptr;
    if (first && (values.back().index() != first->index() || (amount && amount->powers != before->powers))) {
      report(formula.text_position, "",
             fmt::format("is {} at one point and {} at another", kind_text(*first), kind_text(values.back())));
      return false;
    }
    if (first) continue;
    first = values.back();
    if (amount == nullptr || amount->powers == Powers{}) continue;
    formula.dimension = dimension_of(amount->powers);
    if (formula.dimension) continue;
    report(formula.text_position, "",
           fmt::format("has no known unit: it is {}; divide quantities by one of their unit to get "
                       "numbers, as in iteration_time_s/1s",
                       kind_text(*first)));
    return false;
  }
  formula.column = formula.dimension ? with_suffix(formula.name, *formula.dimension) : formula.name;
  return true;
}

/// Results are unknown before the simulation, so this checks only values of axes and of the scenario.
bool FormulaReader::has_value_somewhere(const SweepFormula& formula, const Report& report) {
  auto all = sweep_.formulas;
  all.push_back(formula);
  const bool needs_scenario = std::ranges::any_of(all, [](const SweepFormula& each) {
    return std::ranges::any_of(each.names, [](const Name& name) { return name.kind == Name::Kind::scenario; });
  });
  std::optional<WhereError> error;
  for (const auto combination : selected_combinations(sweep_)) {
    const auto places = places_at(sweep_, combination);
    Node scenario;
    if (needs_scenario) {
      const auto point = point_at(sweep_, combination);
      if (!point.scenario) continue;
      scenario = whole_scenario(*point.scenario);
    }
    const auto value = [&](const Name& name) -> std::optional<WhereValue> {
      if (name.kind == Name::Kind::axis) {
        const AxisColumn& axis = axes_[name.index];
        return where_value((*axis.values)[places[axis.axis]]);
      }
      if (name.kind == Name::Kind::scenario) {
        const Node* key = value_at(scenario, name.text);
        return key != nullptr ? std::optional(where_value(*key)) : std::nullopt;
      }
      const auto* amount = std::get_if<Amount>(&name.kind_of);
      if (amount == nullptr) return name.kind_of;
      return Amount{std::numeric_limits<double>::quiet_NaN(), amount->powers};
    };
    if (formula_values(all, value, &error).back()) return true;
  }
  auto at = formula.text_position;
  if (error) {
    at = first_character(at);
    at.column += static_cast<int>(error->offset);
  }
  report(at, report.form.plain ? "" : "/formula",
         error ? fmt::format("{} at every point of the sweep", error->message)
               : std::string("has no value at any point of the sweep"));
  return false;
}

void FormulaReader::choose_prediction(const FormulaForm& form, SweepFormula& formula, const Report& report) const {
  if (!quantities_.problem) return;
  if (!form.against) {
    if (form.plain && formula.dimension == Dimension::time) formula.against = "time_s";
    return;
  }
  const auto& name = form.against->text;
  if (const auto why = quantities_.problem(name); !why.empty()) return report(form.against->position, "/against", why);
  const auto example = quantities_.example(name);
  const auto* amount = std::get_if<Amount>(&example);
  if (amount == nullptr || dimension_of(amount->powers) != formula.dimension)
    return report(form.against->position, "/against",
                  fmt::format("\"{}\" is {}, but the formula {}", name, kind_text(example),
                              formula.dimension ? fmt::format("a {}", dimension_name(*formula.dimension))
                                                : std::string("has no unit")));
  formula.against = name;
}

void add_formula(Sweep& sweep, const std::string& argument, const QuantityNames& quantities) {
  const auto equals = argument.find('=');
  if (equals == std::string::npos || equals == 0)
    throw std::invalid_argument(
        fmt::format("\"{}\": expected NAME=FORMULA, such as 'mine=2*(nodes-1)*latency'", argument));
  const auto name = argument.substr(0, argument.find_last_not_of(" \t", equals - 1) + 1);
  FormulaForm form{name, {}, Node::of(argument.substr(equals + 1))};
  std::vector<Problem> problems;
  FormulaReader(sweep, quantities, true).add(form, problems);
  if (!problems.empty()) throw std::invalid_argument(fmt::format("{}: {}", form.name, problems.front().message));
}

} // namespace gradflight
