// The computed columns of a sweep as JSON: a formula, or an object with the formula and the predicted quantity.
#include "scenarios/language/sweeps/sweep_tables.hpp"

namespace gradflight {
namespace {

const Table<FormulaForm>& column_table() {
  static const auto table = [] {
    Table<FormulaForm> t("sweep_column", "A computed column.");
    t.required("formula", &FormulaForm::formula, placed_text("such as \"2 * (nodes - 1) * latency\""),
               "A formula over earlier columns, axes, quantities of the result and keys of the scenario.");
    t.maybe("against", &FormulaForm::against, placed_text("a quantity of the result such as \"iteration_time_s\""),
            "The quantity that the formula predicts. Absent: none.");
    return t;
  }();
  return table;
}

} // namespace

Value<std::vector<FormulaForm>> columns_value() {
  const auto whole = object(column_table());
  const auto formula = placed_text("a formula such as \"2 * (nodes - 1) * latency\"");
  Shape one{.kind = Shape::Kind::any};
  one.parts = {formula.shape, whole.shape};
  Shape shape{.kind = Shape::Kind::map};
  shape.parts = {one};
  auto read = [=](const Node& node, Decoder& decoder) -> std::optional<std::vector<FormulaForm>> {
    return members_of<FormulaForm>(shape, node, decoder, [&](const Member& member) {
      std::optional<FormulaForm> column;
      if (member.value.kind == Node::Kind::text)
        column.emplace(FormulaForm{{}, {}, member.value});
      else if (member.value.kind == Node::Kind::object)
        column = whole.read(member.value, decoder);
      else
        wrong_kind(one, member.value, decoder);
      if (!column) return column;
      column->plain = member.value.kind == Node::Kind::text;
      column->name = member.key;
      column->position = member.position;
      return column;
    });
  };
  auto show = [whole](const std::vector<FormulaForm>& columns) {
    auto node = Node::object();
    for (const auto& column : columns) node.set(column.name, column.plain ? column.formula : whole.show(column));
    return node;
  };
  return {shape, read, show};
}

} // namespace gradflight
