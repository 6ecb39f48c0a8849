#include "scenarios/language/decode/document.hpp"

#include "scenarios/language/decode/axis_file.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

Node placed(Node value, Position position) {
  value.position = position;
  return value;
}

/// The same positions, in the source `file`.
void move_to_file(Node& node, int file) {
  node.position.file = file;
  for (auto& item : node.items) move_to_file(item, file);
  for (auto& member : node.members) {
    member.position.file = file;
    move_to_file(member.value, file);
  }
}

class Resolver {
public:
  Resolver(Document& document, const Changes& changes) : document_(document), changes_(changes) {}

  /// The file's value, which will stand at `pointer`. Nothing if it cannot be used; the problem is then at `from` (the
  /// value of `key` there), or at the file itself for the first one.
  std::optional<Node> file(const std::string& path, const Node* from, const std::string& pointer,
                           const std::string& key = {}) {
    const auto complain = [&](const std::string& message) {
      if (from != nullptr)
        document_.problems.push_back({from->position, pointer + key, message});
      else
        document_.problems.push_back({{document_.sources.add(path), 0, 0}, "", message});
      return std::nullopt;
    };
    const auto prefix = from == nullptr ? std::string() : fmt::format("\"{}\": ", path);
    std::error_code error;
    const auto identity = fs::weakly_canonical(path, error);
    const bool cyclic = std::ranges::find(chain_, identity, &Link::identity) != chain_.end();
    if (cyclic) return complain("these files include each other: " + chain_text(path));
    if (chain_.size() >= static_cast<std::size_t>(max_include_depth))
      return complain(fmt::format("more than {} files deep: {}", max_include_depth, chain_text(path)));
    auto content = read_file(path);
    if (!content.error.empty()) return complain(prefix + content.error);
    return text(content.text, path, identity, pointer);
  }

  std::optional<Node> text(const std::string& content, const std::string& path, const fs::path& identity,
                           const std::string& pointer) {
    auto node = parse_json(content, document_.sources.add(path), document_.problems);
    if (!node) return std::nullopt;
    replace_literals(*node, identity);
    chain_.push_back({path, identity});
    resolve(*node, pointer);
    chain_.pop_back();
    return node;
  }

  /// Replaces paths and "extends" in `node`, which stands at `pointer`. Does nothing to what is resolved already.
  void resolve(Node& node, const std::string& pointer) {
    if (node.kind != Node::Kind::object) return;
    node.erase("$schema"); // an editor's hint, not a setting
    if (pointer.empty() || pointer == sweep_base) {
      for (const auto* key : {"platform", "workload"}) include(node, pointer, key);
    }
    extend(node, pointer);
    if (pointer.empty()) sweep(node);
  }

private:
  struct Link {
    std::string path;
    fs::path identity;
  };

  static constexpr const char* sweep_base = "/base";

  void replace_literals(Node& root, const fs::path& identity) const {
    for (const auto& replacement : changes_.replacements) {
      if (replacement.file != identity) continue;
      auto* literal = node_at(root, replacement.pointer);
      if (literal == nullptr)
        document_.problems.push_back(
            {root.position, replacement.pointer, "a fitted number stood here when the pack was read"});
      else
        *literal = placed(replacement.value, literal->position);
    }
  }

  void include(Node& scenario, const std::string& above, const std::string& key) {
    if (auto* value = scenario.find(key)) include(*value, above + "/" + key);
  }

  /// A platform or workload where it stands, or the path of one.
  void include(Node& part, const std::string& pointer) {
    auto* value = &part;
    if (value->kind == Node::Kind::text) {
      auto included = file(beside(*value), value, pointer);
      if (!included) return;
      included->stands_alone = true;
      *value = std::move(*included);
    } else {
      const bool own_base = value->find("extends") != nullptr;
      resolve(*value, pointer);
      value->stands_alone = value->stands_alone || own_base;
    }
  }

  void extend(Node& node, const std::string& pointer) {
    const auto* named = node.find("extends");
    if (named == nullptr) return;
    const auto path = *named;
    node.erase("extends");
    if (path.kind != Node::Kind::text) {
      document_.problems.push_back(
          {path.position, pointer + "/extends", "expected the path of a file, got " + kind_text(path)});
      return;
    }
    if (const auto base = file(beside(path), &path, pointer, "/extends")) node = merge(*base, node);
  }

  void sweep(Node& root) {
    if (auto* base = root.find("base")) {
      if (base->kind == Node::Kind::text) {
        if (auto scenario = file(beside(*base), base, sweep_base)) *base = std::move(*scenario);
      } else {
        resolve(*base, sweep_base);
      }
    }
    if (auto* axes = root.find("axes")) all_axes(*axes, "/axes");
  }

  void all_axes(Node& axes, const std::string& pointer) {
    for (auto& member : axes.members) axis(member.key, member.value, pointer + "/" + pointer_token(member.key));
  }

  void axis(const std::string& path, Node& values, const std::string& pointer) {
    if (auto* zipped = values.find("zip")) all_axes(*zipped, pointer + "/zip");
    if (const auto* named = values.find("file"); named != nullptr && named->kind == Node::Kind::text)
      read_axis_file(path, values, beside(*named), pointer);
    if (path != "platform" && path != "workload") return;
    for (std::size_t i = 0; i < values.items.size(); ++i) include(values.items[i], fmt::format("{}/{}", pointer, i));
  }

  void read_axis_file(const std::string& path, Node& values, const std::string& name, const std::string& pointer) {
    const auto* column = values.find("column");
    if (values.members.size() > 1 + (column != nullptr) || (column != nullptr && column->kind != Node::Kind::text))
      return; // decoding says what is wrong
    const auto position = values.position;
    auto content = read_file(name);
    auto list = content.error.empty()
                    ? axis_values(content.text, {path, name.ends_with(".csv"), column ? column->text : std::string()},
                                  document_.sources.add(name), content.error)
                    : std::vector<Node>{};
    if (!content.error.empty())
      return document_.problems.push_back(
          {values.find("file")->position, pointer + "/file", fmt::format("\"{}\": {}", name, content.error)});
    values = Node::list(std::move(list));
    values.position = position;
  }

  /// A path as written, seen from the file it is written in.
  [[nodiscard]] std::string beside(const Node& path) const {
    const auto& name = document_.sources.name(path.position.file);
    if (name == "--set") return path.text;
    return (fs::path(name).parent_path() / path.text).lexically_normal().string();
  }

  [[nodiscard]] std::string chain_text(const std::string& last) const {
    std::string text;
    for (const auto& link : chain_) text += link.path + " -> ";
    return text + last;
  }

  Document& document_;
  const Changes& changes_;
  std::vector<Link> chain_;
};

/// Folders named in the document are seen from the file that names them, like included files. A sweep's are made
/// absolute: its directory keeps a copy of the sweep, which is read from another place.
void place_folders(Node& training, const Sources& sources, bool absolute) {
  const auto place = [&](Node& settings) {
    auto* compression = settings.find("compression");
    auto* folder = compression == nullptr ? nullptr : compression->find("tensors");
    if (folder == nullptr || folder->kind != Node::Kind::text) return;
    const auto& file = sources.name(folder->position.file);
    if (file != "--set") folder->text = (fs::path(file).parent_path() / folder->text).lexically_normal().string();
    if (absolute) folder->text = fs::absolute(folder->text).lexically_normal().string();
  };
  place(training);
  if (auto* warmup = training.find("warmup"))
    for (auto& phase : warmup->items) place(phase);
}

void apply(const Setting& setting, Document& document) {
  const auto source = document.sources.add(setting.source);
  auto value = setting.value;
  move_to_file(value, source);
  set_value(document.root, setting.path, std::move(value), {source, setting.position.line, setting.position.column},
            document.problems);
}

Document finish(Document& document, Resolver& resolver, std::optional<Node> root, const Changes& changes) {
  if (root) document.root = std::move(*root);
  if (!document.problems.empty()) return std::move(document);
  for (const auto& setting : changes.before) apply(setting, document);
  for (std::size_t i = 0; i < changes.sets.size(); ++i) {
    const auto source = document.sources.add("--set", changes.sets[i]);
    apply_set(document.root, changes.sets[i], source, static_cast<int>(i) + 1, document.problems);
  }
  for (const auto& setting : changes.settings) apply(setting, document);
  const auto before = document.problems.size();
  resolver.resolve(document.root, "");
  document.complete = document.problems.size() == before;
  auto* base = document.root.find("base");
  if (auto* training = (base != nullptr ? *base : document.root).find("training"))
    place_folders(*training, document.sources, base != nullptr);
  if (base == nullptr) fill_in_phases(document.root); // a sweep's points differ
  return std::move(document);
}

} // namespace

void fill_in_phases(Node& root) {
  auto* training = root.find("training");
  if (training == nullptr) return;
  auto* warmup = training->find("warmup");
  if (warmup == nullptr) return;
  auto base = *training;
  base.erase("warmup");
  base.erase("iterations");
  for (auto& phase : warmup->items)
    if (phase.kind == Node::Kind::object) phase = merge(base, phase);
}

Document read_document(const std::string& path, const Changes& changes) {
  Document document;
  Resolver resolver(document, changes);
  return finish(document, resolver, resolver.file(path, nullptr, ""), changes);
}

Document parse_document(const std::string& text, const std::string& name, const Changes& changes) {
  Document document;
  Resolver resolver(document, changes);
  return finish(document, resolver, resolver.text(text, name, fs::weakly_canonical(name), ""), changes);
}

} // namespace gradflight
