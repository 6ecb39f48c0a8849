// The field tables of published figures.
#include "scenarios/language/packs/pack_tables.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

Value<PublishedValue> printed_value() {
  Shape shape{.kind = Shape::Kind::anything};
  shape.text_form = "a number, true or false, a range [low, high], or a text";
  auto read = [shape](const Node& node, Decoder& decoder) -> std::optional<PublishedValue> {
    if (is_number(node)) return node.number;
    if (node.kind == Node::Kind::boolean) return node.boolean;
    if (node.kind == Node::Kind::text) return node.text;
    const auto& ends = node.items;
    if (ends.size() == 2 && is_number(ends[0]) && is_number(ends[1]) && ends[0].number <= ends[1].number)
      return std::array{ends[0].number, ends[1].number};
    decoder.fail(node.position, fmt::format("expected {}, got {}", shape.text_form, brief_text(node)));
    return std::nullopt;
  };
  auto show = [](const PublishedValue& value) {
    if (const auto* number = std::get_if<double>(&value)) return Node::of(*number);
    if (const auto* truth = std::get_if<bool>(&value)) return Node::of(*truth);
    if (const auto* text = std::get_if<std::string>(&value)) return Node::of(*text);
    const auto& range = std::get<std::array<double, 2>>(value);
    return Node::list({Node::of(range[0]), Node::of(range[1])});
  };
  return {shape, read, show};
}

} // namespace

const Table<PublishedFigure>& published_table() {
  static const auto table = [] {
    Table<PublishedFigure> t("published_figure", "A figure that a paper prints. A file holds a list of them.");
    t.required("id", &PublishedFigure::id, text(), "A unique identifier.");
    t.required("paper", &PublishedFigure::paper, text(), "The paper.");
    t.required("table_or_figure", &PublishedFigure::place, text(), "The place in the paper.");
    t.required("quantity", &PublishedFigure::quantity, text(), "The quantity.");
    t.required("unit", &PublishedFigure::unit, text(), "The unit as printed.");
    t.required("value", &PublishedFigure::value, printed_value(), "The value as printed.");
    t.required("kind", &PublishedFigure::kind, text(), "\"time\", \"throughput\", \"input\", ...");
    t.required("source", &PublishedFigure::source, text(), "\"text\" of the paper, or another source.");
    t.required("conditions", &PublishedFigure::conditions, anything("an object"), "The conditions of the measurement.");
    t.defaulted("note", &PublishedFigure::note, text(), "A note for readers.");
    t.defaulted("dup_of", &PublishedFigure::duplicate_of,
                text("the id of a figure, or what a group of ids begins with"),
                "Another figure with the same measurement.");
    return t;
  }();
  return table;
}

Value<std::vector<PublishedFigure>> published_value() { return list(object(published_table()), 1); }

} // namespace gradflight
