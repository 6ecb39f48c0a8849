// The axes of a sweep as JSON: lists, labelled lists, and paths that change together.
#include "scenarios/language/sweeps/sweep_tables.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <string>

namespace gradflight {
namespace {

/// Zipped paths: an object with axes that are not zipped themselves.
Value<std::vector<AxisValues>> zipped_value() {
  const auto values = axis_value();
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {values.shape};
  auto read = [values, shape](const Node& node, Decoder& decoder) -> std::optional<std::vector<AxisValues>> {
    const auto read_path = [&](const Member& member) -> std::optional<AxisValues> {
      if (auto list = values.read(member.value, decoder)) return AxisValues{member.key, member.position, *list};
      return std::nullopt;
    };
    auto paths = members_of<AxisValues>(shape, node, decoder, read_path, 1);
    if (!paths) return std::nullopt;
    const AxisValues& first = paths->front();
    for (const auto& path : *paths) {
      if (path.values.size() == first.values.size()) continue;
      const auto step = decoder.into(path.path);
      decoder.fail(path.position, fmt::format("{} values, but \"{}\", which is zipped with it, has {}",
                                              path.values.size(), first.path, first.values.size()));
      return std::nullopt;
    }
    return paths;
  };
  auto show = [](const std::vector<AxisValues>& paths) {
    auto node = Node::object();
    for (const auto& path : paths) node.set(path.path, Node::list(path.values));
    return node;
  };
  return {shape, read, show};
}

struct ZipForm {
  std::vector<AxisValues> paths;
  std::vector<Node> labels;
};
struct NamedForm {
  std::optional<std::string> path, label;
  std::vector<Node> values, labels;
};

Value<std::vector<Node>> labels() { return list(placed_text("a label of a value")); }
constexpr const char* labels_doc = "Labels of the values in tables and charts: one text for each value, all different.";

const Table<ZipForm>& zip_table() {
  static const auto table = [] {
    Table<ZipForm> t("zipped_axis", "Several paths that change together.");
    t.required("zip", &ZipForm::paths, zipped_value(),
               "Paths with equally many values, which change together: point i takes value i of each path.");
    t.defaulted("labels", &ZipForm::labels, labels(), labels_doc);
    return t;
  }();
  return table;
}

const Table<NamedForm>& named_table() {
  static const auto table = [] {
    Table<NamedForm> t("named_axis", "An axis with a name, or with labels for its values.");
    t.maybe("path", &NamedForm::path, text("a path as --set takes it"),
            "Path of the value that changes; the key is then the axis's name in columns and formulas. Absent: the key "
            "is the path.");
    t.maybe("label", &NamedForm::label, text("a label of the axis"),
            "Name of the axis; the key is then its path. Absent: the key.");
    t.required("values", &NamedForm::values, axis_value(), "The values, like a plain list.");
    t.defaulted("labels", &NamedForm::labels, labels(), labels_doc);
    return t;
  }();
  return table;
}

/// Checks that each value has one label, and that labels differ.
bool labels_fit(const SweepAxis& axis, Decoder& decoder) {
  const auto step = decoder.into("labels");
  if (axis.labels.empty()) return true;
  if (axis.labels.size() != axis.size()) {
    decoder.fail(axis.labels.front().position, fmt::format("{} labels for {} values", axis.labels.size(), axis.size()));
    return false;
  }
  for (std::size_t i = 0; i < axis.labels.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (axis.labels[i].text == axis.labels[k].text) {
        decoder.fail(axis.labels[i].position, fmt::format("the label \"{}\" appears twice", axis.labels[i].text));
        return false;
      }
  return true;
}

} // namespace

Value<std::vector<SweepAxis>> axes_value() {
  const auto values = axis_value();
  const auto zipped = object(zip_table());
  const auto named = object(named_table());
  Shape one{.kind = Shape::Kind::any};
  one.parts = values.shape.parts;
  one.parts.push_back(named.shape);
  one.parts.push_back(zipped.shape);
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {one};
  auto read = [=](const Node& node, Decoder& decoder) -> std::optional<std::vector<SweepAxis>> {
    std::set<std::string> names;
    const auto read_axis = [&](const Member& member) -> std::optional<SweepAxis> {
      SweepAxis axis{member.key, member.position, {}, member.value.find("zip") != nullptr};
      if (axis.zipped) {
        if (auto form = zipped.read(member.value, decoder)) {
          axis.paths = std::move(form->paths);
          axis.labels = std::move(form->labels);
        }
      } else if (std::ranges::any_of(std::array{"path", "label", "values", "labels"},
                                     [&](const char* key) { return member.value.find(key) != nullptr; })) {
        if (auto form = named.read(member.value, decoder)) {
          axis.paths.push_back({form->path.value_or(member.key), member.position, std::move(form->values)});
          axis.labels = std::move(form->labels);
          axis.name = form->label.value_or(member.key);
        }
      } else if (auto list = values.read(member.value, decoder)) {
        axis.paths.push_back({member.key, member.position, std::move(*list)});
      }
      if (axis.paths.empty() || !labels_fit(axis, decoder)) return std::nullopt;
      if (names.insert(axis.name).second) return axis;
      decoder.fail(member.position, fmt::format("an axis \"{}\" already exists", axis.name));
      return std::nullopt;
    };
    return members_of<SweepAxis>(shape, node, decoder, read_axis, 1);
  };
  auto show = [=](const std::vector<SweepAxis>& all) {
    auto node = Node::object();
    for (const auto& axis : all) {
      const auto& first = axis.paths.front();
      const auto path = first.path == axis.name ? std::nullopt : std::optional(first.path);
      node.set(axis.name, axis.zipped                    ? zipped.show({axis.paths, axis.labels})
                          : axis.labels.empty() && !path ? values.show(first.values)
                                                         : named.show({path, {}, first.values, axis.labels}));
    }
    return node;
  };
  return {shape, read, show};
}

} // namespace gradflight
