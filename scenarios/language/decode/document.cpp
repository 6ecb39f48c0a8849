#include "scenarios/language/decode/document.hpp"

#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "scenarios/language/decode/inherit.hpp"
#include "scenarios/language/decode/resolver.hpp"

#include <algorithm>

namespace gradflight {
namespace {

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
    if (partial) folder->text = absolute_path(folder->text).lexically_normal().string();
  }
}

/// Applies changes one after another. A value may be the path of a file. Such a file is read before a later change
/// reaches into it.
class Applied {
public:
  Applied(Document& document, Resolver& resolver, const FileForms& forms)
      : document_(document), resolver_(resolver), forms_(forms) {}

  void apply(const Setting& setting) {
    if (!reach(setting.path)) return;
    const auto source = document_.sources.add(setting.source);
    auto value = setting.value;
    move_to_file(value, source);
    set_value(document_.root, setting.path, std::move(value), {source, setting.position.line, setting.position.column},
              document_.problems);
  }
  void apply(const std::string& argument, int line) {
    if (!reach(argument.substr(0, argument.find('=')))) return;
    apply_set(document_.root, argument, document_.sources.add("--set", argument), line, document_.problems);
  }
  /// Reads the files that the document names now.
  void resolve() {
    if (broken_) return; // a second reading would report the same
    const auto before = document_.problems.size() - document_.mended;
    resolver_.resolve(document_.root, forms_, "");
    broken_ = document_.problems.size() - document_.mended > before;
    set_.clear();
  }
  [[nodiscard]] bool complete() const { return !broken_; }

private:
  /// Returns false if the path leads into a file that cannot be read.
  [[nodiscard]] bool reach(const std::string& path) {
    const bool inside = std::ranges::any_of(set_, [&](const std::string& set) { return path.starts_with(set + '.'); });
    if (inside) resolve();
    set_.push_back(path);
    return !inside || !broken_;
  }

  Document& document_;
  Resolver& resolver_;
  const FileForms& forms_;
  std::vector<std::string> set_; ///< paths of values that may name files
  bool broken_ = false;
};

Document finish(Document& document, Resolver& resolver, std::optional<Node> root, const FileForms& forms,
                const Changes& changes) {
  document.form = forms.front();
  if (root) document.root = std::move(*root);
  if (document.problems.size() > document.mended) return std::move(document);
  Applied applied(document, resolver, forms);
  for (const auto& setting : changes.before) applied.apply(setting);
  for (std::size_t i = 0; i < changes.sets.size(); ++i) applied.apply(changes.sets[i], static_cast<int>(i) + 1);
  for (const auto& setting : changes.settings) applied.apply(setting);
  applied.resolve();
  document.complete = applied.complete() && !document.root.unread;
  document.form = &form_of(document.root, possible_forms(document.root, "", forms, document.problems));
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
  return finish(document, resolver, resolver.text(text, name, real_path(name), forms, ""), forms, changes);
}

} // namespace gradflight
