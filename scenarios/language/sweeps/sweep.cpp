#include "scenarios/language/sweeps/sweep.hpp"

#include "base/input_file.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/sweeps/sweep_formulas.hpp"
#include "scenarios/language/sweeps/sweep_points.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gradflight {
namespace {

void report(Document& document, Position at, std::string pointer, std::string message) {
  document.problems.push_back({at, std::move(pointer), std::move(message)});
}

std::string pointer_of(const SweepAxis& axis, const AxisValues& values) {
  const auto pointer = "/axes/" + pointer_token(axis.name);
  if (axis.zipped) return pointer + "/zip/" + pointer_token(values.path);
  return axis.name == values.path ? pointer : pointer + "/path";
}

/// No path may occur twice or inside another one, because the result would depend on their order.
void check_paths(const Sweep& sweep, Document& document) {
  std::vector<std::string> seen;
  for (const auto& axis : sweep.axes) {
    for (const auto& values : axis.paths) {
      for (const auto& other : seen) {
        const bool same = other == values.path;
        const bool inside = values.path.starts_with(other + ".") || other.starts_with(values.path + ".");
        if (same || inside)
          report(document, values.position, pointer_of(axis, values),
                 same ? fmt::format("the axis \"{}\" appears twice", values.path)
                      : fmt::format("the axis \"{}\" overlaps \"{}\"", values.path, other));
      }
      seen.push_back(values.path);
    }
  }
}

/// A path through a text, or past the end of a list, is wrong for all points. Reports it once, before any simulation.
void check_places(const Sweep& sweep, Document& document) {
  for (const auto& axis : sweep.axes) {
    for (const auto& values : axis.paths) {
      auto trial = sweep.base;
      std::vector<Problem> problems;
      set_value(trial, values.path, values.values.front(), first_character(values.position), problems);
      for (auto& problem : problems)
        report(document, problem.position, pointer_of(axis, values), std::move(problem.message));
    }
  }
}

void check_size(const Sweep& sweep, Document& document) {
  double combinations = 1;
  for (const auto& axis : sweep.axes) combinations *= static_cast<double>(axis.size());
  if (combinations > static_cast<double>(max_combinations))
    report(document, sweep.axes.front().position, "/axes",
           fmt::format("{:.0f} combinations are too many; at most {} are possible", combinations, max_combinations));
}

/// `sound`: the axes have no mistake, so that their combinations can be tried.
void read_condition(Sweep& sweep, const std::optional<Node>& where, bool sound, Document& document) {
  if (!where) return;
  sweep.where_text = where->text;
  try {
    sweep.where.emplace(sweep.where_text, axis_names(axis_columns(sweep)).names);
    if (!sound || !selected_combinations(sweep).empty()) return;
    report(document, where->position, "/where", "no combination of the axes meets this condition");
  } catch (const WhereError& error) {
    auto at = first_character(where->position);
    at.column += static_cast<int>(error.offset);
    report(document, at, "/where", error.message);
  }
  sweep.where.reset(); // formulas are checked as if there were none
}

/// Returns whether a problem leaves the points of the sweep unknown: a mistake in an axis or the base, or a missing
/// key.
bool hides_points(const Problem& problem) {
  return problem.pointer.empty() || problem.pointer.starts_with("/axes") || problem.pointer.starts_with("/base");
}

void read_kept(Sweep& sweep, const std::vector<Node>& keep, const QuantityNames& quantities, Document& document) {
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const auto why = quantities.problem ? quantities.problem(keep[i].text) : std::string();
    if (!why.empty()) report(document, keep[i].position, fmt::format("/keep/{}", i), why);
    sweep.keep.push_back({keep[i].text, keep[i].position});
  }
}

Sweep named(Sweep sweep, const std::string& path) {
  if (sweep.name.empty()) sweep.name = name_of(path);
  return sweep;
}

} // namespace

Position first_character(Position text) { return {text.file, text.line, text.column + 1}; }

std::vector<const AxisValues*> Sweep::columns() const {
  std::vector<const AxisValues*> all;
  for (const auto& axis : axes)
    for (const auto& values : axis.paths) all.push_back(&values);
  return all;
}

Sweep decode_sweep(Document& document, const QuantityNames& quantities) {
  if (!document.complete) refuse(document);
  Decoder decoder(document.problems);
  auto form = sweep_table().read_partly(document.root, decoder);
  Sweep sweep{std::move(form.name),
              std::move(form.description),
              std::move(form.base),
              document.sources,
              std::move(form.axes),
              {},
              {},
              {},
              {},
              form.limits};
  if (std::ranges::any_of(document.problems, hides_points)) { // the quantities are known all the same
    read_kept(sweep, form.keep, quantities, document);
    refuse(document);
  }
  const auto before = document.problems.size();
  check_paths(sweep, document);
  check_places(sweep, document);
  check_size(sweep, document);
  const bool sound = document.problems.size() == before;
  read_condition(sweep, form.where, sound, document);
  FormulaReader formulas(sweep, quantities, sound);
  read_kept(sweep, form.keep, quantities, document);
  for (const auto& column : form.columns) formulas.add(column, document.problems);
  if (!document.problems.empty()) refuse(document);
  return sweep;
}

Sweep load_sweep(const std::string& path, const QuantityNames& quantities) {
  auto document = read_document(path, {&sweep_file()});
  reject_other_kind(document, path, sweep_file());
  return named(decode_sweep(document, quantities), path);
}

Sweep parse_sweep(const std::string& text, const std::string& name, const QuantityNames& quantities) {
  auto document = parse_document(text, name, {&sweep_file()});
  return named(decode_sweep(document, quantities), name);
}

std::string self_contained_json(const Sweep& sweep) {
  SweepForm form{sweep.name, {}, sweep.base, sweep.axes, {}, {}, {}, {}};
  if (sweep.where) form.where = Node::of(sweep.where_text);
  for (const auto& kept : sweep.keep) form.keep.push_back(Node::of(kept.name));
  for (const auto& formula : sweep.formulas) form.columns.push_back(form_of(formula));
  return json_text_ordered(sweep_table().show(form));
}

} // namespace gradflight
