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
    t.required("axes", &SweepForm::axes, axes_value(),
               "For each path (as --set takes it) the values it takes. Every combination is a point; the last axis "
               "changes fastest.");
    t.maybe("where", &SweepForm::where, placed_text("a condition such as \"nodes >= 8 and bytes / bandwidth < 1ms\""),
            "Which combinations are points. Names are axis paths, or their last parts; docs/sweeps.md has the grammar. "
            "Absent: all.");
    t.defaulted("keep", &SweepForm::keep, list(placed_text("a quantity of the result such as \"wire_bytes\"")),
                "Quantities of the result to keep beside time_s and the closed form's time, error and cause: "
                "\"wire_bytes\", \"breakdown.gamma_s\", \"/links/0/busy_s\". Empty: the usual ones.");
    t.defaulted(
        "columns", &SweepForm::columns, columns_value(),
        "Columns worked out of a point's values and result, such as a timing model of one's own: a formula over "
        "earlier columns, axes, quantities of the result and keys of the scenario; docs/sweeps.md has the "
        "grammar. A time written as a text is held against time_s; an object says what it predicts, if anything.");
    t.defaulted("limits", &SweepForm::limits, object(point_limits_table()), "When to give up on a point.");
    return t;
  }();
  return table;
}

} // namespace gradflight
