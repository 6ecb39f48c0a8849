#include "scenarios/language/decode/file_form.hpp"

#include "base/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gradflight {

FileForm object_form(const TableInfo& table) {
  Shape shape{.kind = Shape::Kind::object};
  shape.table = &table;
  return {table.kind.shape.choices.front(), shape};
}

bool has_required(const Node& root, const Shape& shape) {
  if (shape.kind == Shape::Kind::list)
    return root.kind == Node::Kind::list &&
           std::ranges::any_of(root.items, [&](const Node& item) { return has_required(item, shape.parts.front()); });
  if (root.kind != Node::Kind::object) return false;
  const auto& table = *shape.table;
  const auto stands = [&](const std::string& key) { return root.find(key) != nullptr; };
  if (!table.catalogue_key.empty() && stands(table.catalogue_key)) return true; // the catalogue provides the rest
  const auto satisfied = [&](const FieldInfo& field) { return !field.required || stands(field.key); };
  return std::ranges::all_of(table.fields, satisfied) &&
         (table.one_of.empty() || std::ranges::any_of(table.one_of, stands));
}

std::string other_kind_text(std::string_view kind, std::string_view wanted) {
  return fmt::format("this is a {}; expected a {}{}", kind, wanted,
                     kind == "sweep" && wanted == "scenario" ? ": `gradflight sweep FILE --out DIR` runs a sweep" : "");
}

FileForms possible_forms(const Node& root, const std::string& pointer, const FileForms& forms,
                         std::vector<Problem>& problems) {
  const auto* said = root.find("kind");
  if (said == nullptr) return forms;
  std::vector<std::string> kinds;
  for (const auto* form : forms) {
    if (form->table() == nullptr) continue; // a list has no "kind"
    if (said->kind == Node::Kind::text && said->text == form->kind) return {form};
    kinds.push_back(form->kind);
  }
  constexpr std::array<std::string_view, 8> all = {"scenario", "platform", "workload", "sweep",
                                                   "pack",     "fits",     "measured", "schedule"};
  if (said->kind == Node::Kind::text && kinds.size() == 1 && std::ranges::find(all, said->text) != all.end())
    problems.push_back({said->position, pointer + "/kind", other_kind_text(said->text, kinds.front())});
  else
    problems.push_back({said->position, pointer + "/kind",
                        fmt::format("{} is not a kind of file that is allowed here{}", brief_text(*said),
                                    did_you_mean(said->text, kinds))});
  return forms;
}

const FileForm& form_of(const Node& root, const FileForms& forms) {
  const auto* form = forms.front();
  if (root.without_base) {
    const auto known_keys = [&root](const FileForm* one) {
      return std::ranges::count_if(root.members, [&](const Member& member) {
        return one->table() != nullptr && field_of(*one->table(), member.key) != nullptr;
      });
    };
    return **std::ranges::max_element(forms, {}, known_keys);
  }
  if (forms.size() == 1 || has_required(root, form->shape)) return *form;
  int fitting = 0;
  for (const auto* other : forms) {
    if (!has_required(root, other->shape)) continue;
    form = other;
    ++fitting;
  }
  return fitting == 1 ? *form : *forms.front();
}

} // namespace gradflight
