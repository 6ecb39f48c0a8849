#include "scenarios/language/fields/table.hpp"

namespace gradflight {

std::string default_text(const Shape& shape, const Node& shown) {
  if (shape.kind == Shape::Kind::quantity)
    return json_string(format_quantity(parse_quantity(shown.text, shape.dimension), shape.dimension));
  if (shape.kind == Shape::Kind::text && shown.text.empty()) return {};
  return brief_text(shown, 200);
}

void unknown_keys(const TableInfo& table, const Node& node, Decoder& decoder) {
  const auto known = keys_of(table);
  for (const auto& member : node.members) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    const auto step = decoder.into(member.key);
    if (is_comment(member.key)) {
      if (member.value.kind != Node::Kind::text) decoder.fail(member.position, "a comment is a text");
      continue;
    }
    const auto refused = std::ranges::find(table.refused, member.key, [](const auto& key) { return key.first; });
    if (refused != table.refused.end()) {
      decoder.fail(member.position, fmt::format("\"{}\" is not allowed here: {}", member.key, refused->second));
      continue;
    }
    decoder.fail(member.position,
                 fmt::format("unknown key {}{}", brief_text(Node::of(member.key)), did_you_mean(member.key, known)));
  }
}

} // namespace gradflight
