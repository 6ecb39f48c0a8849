#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "scenarios/language/tables/tables.hpp"

namespace gradflight {
namespace {

const Table<PointLimits>& point_limits_table() {
  static const auto table = [] {
    Table<PointLimits> t("sweep_limits",
                         "Limits of a point. A point that exceeds one becomes a row with an error message.");
    t.maybe("wall", &PointLimits::wall, positive<Seconds>(),
            "Limit of the wall-clock time of a point. Absent: no limit.");
    t.maybe("memory", &PointLimits::memory, positive<Bytes>(),
            "Limit of the private memory of a point's process. Absent: no limit.");
    return t;
  }();
  return table;
}

/// A scenario that may be incomplete, because axes may supply the rest. Each point decodes it; this table does not.
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
    Table<SweepForm> t("sweep", "Many scenarios: a base scenario, and axes that change it.");
    t.info.extendable = true;
    t.info.kind = kind_field("sweep");
    t.defaulted("name", &SweepForm::name, text(), "A name for readers. Absent: the file's base name.");
    t.defaulted("description", &SweepForm::description, text(), "A description for readers.");
    t.required("base", &SweepForm::base, base(),
               "The scenario that the axes change: an object, or the path of a file with one. It may lack what an axis "
               "supplies.");
    t.required(
        "axes", &SweepForm::axes, axes_value(),
        "For each path (as for --set), its values. Every combination is a point; the last axis changes fastest.");
    t.maybe("where", &SweepForm::where, placed_text("a condition such as \"nodes >= 8 and bytes / bandwidth < 1ms\""),
            "A condition that selects combinations. Names are axis paths or their last parts; docs/sweeps.md has the "
            "grammar. Absent: all combinations.");
    t.defaulted("keep", &SweepForm::keep, list(placed_text("a quantity of the result such as \"wire_bytes\"")),
                "Quantities of the result to keep, besides time_s and the time, error and cause of the closed form: "
                "\"wire_bytes\", \"breakdown.gamma_s\", \"/links/0/busy_s\". Empty: a default set.");
    t.defaulted("columns", &SweepForm::columns, columns_value(),
                "Columns computed from the values and the result of a point, such as your own timing model. A column "
                "is a formula over earlier columns, axes, quantities of the result and keys of the scenario; "
                "docs/sweeps.md has the grammar. A formula of a time that is written as a text is compared with "
                "time_s; an object can name the quantity that it predicts.");
    t.defaulted("limits", &SweepForm::limits, object(point_limits_table()), "Limits of a point.");
    return t;
  }();
  return table;
}

} // namespace gradflight
