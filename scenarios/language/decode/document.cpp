#include "scenarios/language/decode/document.hpp"

#include "base/input_file.hpp"
#include "scenarios/language/decode/inherit.hpp"
#include "scenarios/language/decode/resolver.hpp"

#include <filesystem>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

/// Assigns all positions to the source `file`.
void move_to_file(Node& node, int file) {
  node.position.file = file;
  for (auto& item : node.items) move_to_file(item, file);
  for (auto& member : node.members) {
    member.position.file = file;
    move_to_file(member.value, file);
  }
}

/// Makes paths of folders relative to the file that names them, as for included files. Paths in a partial object become
/// absolute, because a sweep's directory keeps a copy of the sweep in another location.
void place_folders(Node& object, const TableInfo& table, bool partial, const Sources& sources) {
  for (const auto& field : table.fields) {
    auto* folder = field.shape.folder ? object.find(field.key) : nullptr;
    if (folder == nullptr || folder->kind != Node::Kind::text) continue;
    const auto& file = sources.name(folder->position.file);
    if (file != "--set") folder->text = (directory_of(file) / folder->text).lexically_normal().string();
    if (partial) folder->text = fs::absolute(folder->text).lexically_normal().string();
  }
}

void apply(const Setting& setting, Document& document) {
  const auto source = document.sources.add(setting.source);
  auto value = setting.value;
  move_to_file(value, source);
  set_value(document.root, setting.path, std::move(value), {source, setting.position.line, setting.position.column},
            document.problems);
}

Document finish(Document& document, Resolver& resolver, std::optional<Node> root, const FileForms& forms,
                const Changes& changes) {
  document.form = forms.front();
  if (root) document.root = std::move(*root);
  const auto unusable = [&] { return document.problems.size() - document.mended; };
  if (unusable() > 0) return std::move(document);
  for (const auto& setting : changes.before) apply(setting, document);
  for (std::size_t i = 0; i < changes.sets.size(); ++i) {
    const auto source = document.sources.add("--set", changes.sets[i]);
    apply_set(document.root, changes.sets[i], source, static_cast<int>(i) + 1, document.problems);
  }
  for (const auto& setting : changes.settings) apply(setting, document);
  const auto before = unusable();
  resolver.resolve(document.root, forms, "");
  document.complete = unusable() == before;
  document.form = &form_of(document.root, said_forms(document.root, "", forms, document.problems));
  document.said = document.root.find("kind") != nullptr;
  document.root.erase("kind"); // it identifies the file; it is not a setting
  for_each_object(document.root, document.form->shape, [&](Node& object, const TableInfo& table, bool partial) {
    place_folders(object, table, partial, document.sources);
  });
  fill_in_items(document.root, document.form->shape);
  return std::move(document);
}

} // namespace

Document read_document(const std::string& path, const FileForms& forms, const Changes& changes) {
  Document document;
  Resolver resolver(document, changes.replacements);
  return finish(document, resolver, resolver.file(path, forms, nullptr, ""), forms, changes);
}

Document parse_document(const std::string& text, const std::string& name, const FileForms& forms,
                        const Changes& changes) {
  Document document;
  Resolver resolver(document, changes.replacements);
  return finish(document, resolver, resolver.text(text, name, fs::weakly_canonical(name), forms, ""), forms, changes);
}

} // namespace gradflight
