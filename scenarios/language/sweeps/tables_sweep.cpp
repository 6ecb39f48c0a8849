#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

namespace gradflight {
namespace {

const Table<PointLimits>& point_limits_table() {
  static const auto table = [] {
    Table<PointLimits> t("sweep_limits", "When to give up on one point, which is then a row with that message.");
    t.maybe("wall", &PointLimits::wall, positive<Seconds>(), "Wall-clock time of a point. Absent: no limit.");
    t.maybe("memory", &PointLimits::memory, positive<Bytes>(),
            "Private memory of a point's process. Absent: no limit.");
    return t;
  }();
  return table;
}

/// A scenario that need not be complete: axes may supply the rest. Decoded with each point, not here.
Value<Node> base() {
  Shape shape{.kind = Shape::Kind::object};
  shape.table = &scenario_table().info;
  shape.partial = true;
  Shape path{.kind = Shape::Kind::text};
  path.text_form = "the path of a scenario file";
  Shape either{.kind = Shape::Kind::any};
  either.parts = {path, shape};
  return {either,
          [either](const Node& node, Decoder& decoder) -> std::optional<Node> {
            if (node.kind == Node::Kind::object) return node;
            wrong_kind(either, node, decoder);
            return std::nullopt;
          },
          [](const Node& node) { return node; }};
}

/// Zipped paths: an object of axes, none of them zipped itself.
Value<std::vector<AxisValues>> zipped_value() {
  const auto values = axis_value();
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {values.shape};
  auto read = [values, shape](const Node& node, Decoder& decoder) -> std::optional<std::vector<AxisValues>> {
    if (node.kind != Node::Kind::object || node.members.empty()) {
      wrong_kind(shape, node, decoder);
      return std::nullopt;
    }
    std::vector<AxisValues> paths;
    for (const auto& member : node.members) {
      const auto step = decoder.into(member.key);
      if (auto list = values.read(member.value, decoder))
        paths.push_back({member.key, member.position, std::move(*list)});
    }
    if (paths.size() < node.members.size()) return std::nullopt;
    for (const auto& path : paths) {
      if (path.values.size() == paths.front().values.size()) continue;
      const auto step = decoder.into(path.path);
      decoder.fail(path.position, fmt::format("{} values; \"{}\", zipped with it, has {}", path.values.size(),
                                              paths.front().path, paths.front().values.size()));
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
};

const Table<ZipForm>& zip_table() {
  static const auto table = [] {
    Table<ZipForm> t("zipped_axis", "Several paths that change together.");
    t.required("zip", &ZipForm::paths, zipped_value(),
               "Paths with equally many values each: the first of all, the second of all, and so on.");
    return t;
  }();
  return table;
}

Value<std::vector<SweepAxis>> axes() {
  const auto values = axis_value();
  const auto zipped = object(zip_table());
  Shape one{.kind = Shape::Kind::any};
  one.parts = values.shape.parts;
  one.parts.push_back(zipped.shape);
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {one};
  auto read = [=](const Node& node, Decoder& decoder) -> std::optional<std::vector<SweepAxis>> {
    if (node.kind != Node::Kind::object || node.members.empty()) {
      wrong_kind(shape, node, decoder);
      return std::nullopt;
    }
    std::vector<SweepAxis> result;
    for (const auto& member : node.members) {
      const auto step = decoder.into(member.key);
      SweepAxis axis{member.key, member.position, {}, member.value.find("zip") != nullptr};
      if (axis.zipped) {
        if (auto form = zipped.read(member.value, decoder)) axis.paths = std::move(form->paths);
      } else if (auto list = values.read(member.value, decoder)) {
        axis.paths.push_back({member.key, member.position, std::move(*list)});
      }
      if (!axis.paths.empty()) result.push_back(std::move(axis));
    }
    if (result.size() < node.members.size()) return std::nullopt;
    return result;
  };
  auto show = [zipped, values](const std::vector<SweepAxis>& all) {
    auto node = Node::object();
    for (const auto& axis : all)
      node.set(axis.name, axis.zipped ? zipped.show({axis.paths}) : values.show(axis.paths.front().values));
    return node;
  };
  return {shape, read, show};
}

} // namespace

const Table<SweepForm>& sweep_table() {
  static const auto table = [] {
    Table<SweepForm> t("sweep", "Many scenarios: a base, and axes along which it changes.");
    t.info.extendable = true;
    t.info.kind = kind_field("sweep");
    t.defaulted("name", &SweepForm::name, text(), "For people. Absent: the file's base name.");
    t.defaulted("description", &SweepForm::description, text(), "For people.");
    t.required("base", &SweepForm::base, base(),
               "The scenario that the axes change: an object, or the path of a file with one. It may lack what an axis "
               "supplies.");
    t.required("axes", &SweepForm::axes, axes(),
               "For each path (as --set takes it) the values it takes. Every combination is a point; the last axis "
               "changes fastest.");
    t.maybe("where", &SweepForm::where, placed_text("a condition such as \"nodes >= 8 and bytes / bandwidth < 1ms\""),
            "Which combinations are points. Names are axis paths, or their last parts; docs/sweeps.md has the grammar. "
            "Absent: all.");
    t.defaulted("keep", &SweepForm::keep, list(placed_text("a quantity of the result such as \"wire_bytes\"")),
                "Quantities of the result to keep beside time_s and the closed form's time, error and cause: "
                "\"wire_bytes\", \"breakdown.gamma_s\", \"/links/0/busy_s\". Empty: the usual ones.");
    t.defaulted("limits", &SweepForm::limits, object(point_limits_table()), "When to give up on a point.");
    return t;
  }();
  return table;
}

} // namespace gradflight
