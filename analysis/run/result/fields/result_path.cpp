#include "analysis/run/result/fields/result_path.hpp"

#include "base/nearest_name.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

bool is_number(const FieldInfo& field) {
  return field.shape.kind == Shape::Kind::number || field.shape.kind == Shape::Kind::integer;
}
bool is_list(const FieldInfo& field) { return field.shape.kind == Shape::Kind::list; }

bool has_name(const ResultTableInfo& table, std::size_t row, NameKind kind) {
  if (table.rows[row].table != nullptr) return true;
  return kind == NameKind::numbers ? is_number(table.info.fields[row]) : !table.rows[row].is_label;
}

/// Returns "LINK" or "N".
std::string item_text(const FieldInfo& list) { return list.shape.item_name.empty() ? "N" : list.shape.item_name; }

/// Returns the keys of a table; for a group, with the following part: "closed_form.FIELD", "iterations.N.FIELD".
std::vector<std::string> forms(const ResultTableInfo& table, NameKind kind) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& field = table.info.fields[i];
    if (!has_name(table, i, kind)) continue;
    if (table.rows[i].table == nullptr)
      all.push_back(field.key);
    else
      all.push_back(field.key + (is_list(field) ? '.' + item_text(field) : "") + ".FIELD");
  }
  return all;
}

void add_names(const ResultTableInfo& table, NameKind kind, const std::string& before, bool lists,
               std::vector<std::string>& all) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& field = table.info.fields[i];
    if (table.rows[i].table == nullptr) {
      if (has_name(table, i, kind)) all.push_back(before + field.key);
    } else if (lists || !is_list(field)) {
      add_names(*table.rows[i].table, kind, before + field.key + (is_list(field) ? ".0." : "."), lists, all);
    }
  }
}

/// The part of a name that matches no field.
struct Lost {
  const ResultTableInfo* table;
  std::string where; ///< "breakdown", "links.LINK"
  std::string_view rest;
};

class Walk {
public:
  explicit Walk(NameKind kind) : kind_(kind) {}
  std::vector<Lost> lost; ///< one for each failed interpretation of the name; messages use the first

  /// Appends to `path`; returns null if no field matches.
  const FieldInfo* find(const ResultTableInfo& table, const std::string& where, std::string_view name,
                        ResultPath& path) {
    const auto dot = name.find('.');
    const auto row = static_cast<std::size_t>(
        std::ranges::find(table.info.fields, name.substr(0, dot), &FieldInfo::key) - table.info.fields.begin());
    if (row == table.rows.size() || !has_name(table, row, kind_)) return miss(table, where, name);
    const auto& field = table.info.fields[row];
    path.push_back({row, {}});
    const auto here = where.empty() ? field.key : where + '.' + field.key;
    const auto* inner = table.rows[row].table;
    if (inner == nullptr) return dot == std::string_view::npos ? &field : miss(table, where, name);
    const auto rest = dot == std::string_view::npos ? std::string_view{} : name.substr(dot + 1);
    return is_list(field) ? item(field, *inner, here + '.' + item_text(field), rest, path)
                          : find(*inner, here, rest, path);
  }

private:
  /// An item's name may contain dots. The shortest item name that leaves a valid field is used ("0" in
  /// "jobs.0.closed_form.name"). If none does, the message is about the longest.
  const FieldInfo* item(const FieldInfo& list, const ResultTableInfo& inner, const std::string& where,
                        std::string_view name, ResultPath& path) {
    const bool has_item_names = !list.shape.item_name.empty();
    for (auto dot = name.find('.'); has_item_names && dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
      auto shorter = path;
      shorter.back().item = name.substr(0, dot);
      if (const auto* field = Walk(kind_).find(inner, where, name.substr(dot + 1), shorter)) {
        path = std::move(shorter);
        return field;
      }
    }
    for (auto dot = has_item_names ? name.rfind('.') : name.find('.'); dot != std::string_view::npos;
         dot = has_item_names && dot > 0 ? name.rfind('.', dot - 1) : std::string_view::npos) {
      auto longer = path;
      longer.back().item = name.substr(0, dot);
      if (const auto* field = find(inner, where, name.substr(dot + 1), longer)) {
        path = std::move(longer);
        return field;
      }
    }
    return miss(inner, where, {});
  }
  const FieldInfo* miss(const ResultTableInfo& table, const std::string& where, std::string_view rest) {
    lost.push_back({&table, where, rest});
    return nullptr;
  }
  NameKind kind_;
};

/// Returns the nearest of all names. Without one, corrects the first word of the name if it is similar to a group.
std::string nearest(const ResultTableInfo& table, std::string_view name, NameKind kind) {
  std::vector<std::string> names, groups;
  add_names(table, kind, "", false, names);
  if (auto near = nearest_name(name, names); !near.empty()) return near;
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return {};
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (table.rows[i].table != nullptr) groups.push_back(table.info.fields[i].key);
  const auto near = nearest_name(name.substr(0, dot), groups);
  return near.empty() ? near : near + std::string(name.substr(dot));
}

std::string error_text(const ResultTableInfo& root, std::string_view name, const Lost& lost, NameKind kind) {
  const auto allowed = forms(*lost.table, kind);
  if (!lost.where.empty())
    return fmt::format("\"{}\" is not a {} of \"{}\"{}", lost.rest, lost.table->noun, lost.where,
                       did_you_mean(std::string(lost.rest), allowed));
  const auto near = nearest(root, name, kind);
  return fmt::format("\"{}\" is not a {} of the result{} Allowed: {}", name, root.noun,
                     near.empty() ? "." : fmt::format("; did you mean \"{}\"?", near), joined(allowed));
}

} // namespace

ResultName find_name(const ResultTableInfo& table, std::string_view name, NameKind kind) {
  Walk walk(kind);
  ResultName found;
  found.field = walk.find(table, "", name, found.path);
  if (found.field == nullptr) found.error = error_text(table, name, walk.lost.front(), kind);
  return found;
}

std::string why_missing(const ResultTableInfo& table, const ResultPath& path, const PlannedRun& run) {
  const auto* at = &table;
  for (const auto& step : path) {
    const auto& row = at->rows[step.row];
    std::string why;
    if (row.why_none) why = row.why_none(run);
    if (why.empty() && row.wrong_item) why = row.wrong_item(run, step.item);
    if (!why.empty()) return why;
    at = row.table;
  }
  return {};
}

std::vector<std::string> value_names(const ResultTableInfo& table, NameKind kind) {
  std::vector<std::string> names;
  add_names(table, kind, "", true, names);
  return names;
}

} // namespace gradflight
