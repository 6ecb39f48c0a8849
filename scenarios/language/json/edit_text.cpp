#include "scenarios/language/json/edit_text.hpp"

#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Returns the offset after the text literal that begins at `at`.
std::size_t text_end(const std::string& text, std::size_t at) {
  for (++at; text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

std::size_t scalar_end(const std::string& text, std::size_t begin) {
  if (text[begin] == '"') return text_end(text, begin);
  return std::min(text.find_first_not_of("+-.0123456789eE", begin), text.size());
}

/// Returns the offset of the bracket that closes the one at `at`.
std::size_t closing_of(const std::string& text, std::size_t at) {
  for (int depth = 0;;) {
    if (text[at] == '"') {
      at = text_end(text, at);
      continue;
    }
    if (text[at] == '{' || text[at] == '[') ++depth;
    if ((text[at] == '}' || text[at] == ']') && --depth == 0) return at;
    ++at;
  }
}

bool is_scalar(const Node* node) {
  return node != nullptr &&
         (node->kind == Node::Kind::integer || node->kind == Node::Kind::number || node->kind == Node::Kind::text);
}

} // namespace

Node parse_for_edit(const std::string& text) {
  std::vector<Problem> problems;
  auto root = parse_json(text, 0, problems);
  if (!root || root->kind != Node::Kind::object) throw ChangedMeanwhile("it is no longer a JSON object");
  return std::move(*root);
}

std::size_t offset_of(const std::string& text, const Position& position) {
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (int line = 1; line < position.line; ++line) at = text.find('\n', at) + 1;
  for (int column = 1; column < position.column; ++column) do
      ++at;
    while ((static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
  return at;
}

std::string indent_at(const std::string& text, std::size_t offset) {
  const auto line = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const auto begin = line == std::string::npos ? 0 : line + 1;
  return text.substr(begin, text.find_first_not_of(" \t", begin) - begin);
}

std::string with_scalars(std::string text, const std::vector<ScalarEdit>& edits) {
  const Node root = parse_for_edit(text);
  struct Edit {
    std::size_t offset;
    const std::string* json;
  };
  std::vector<Edit> places;
  for (const auto& edit : edits) {
    const auto* node = node_at(root, edit.pointer);
    if (!is_scalar(node)) throw ChangedMeanwhile(fmt::format("the file has no number or text at {}", edit.pointer));
    places.push_back({offset_of(text, node->position), &edit.json});
  }
  // Replace from the last to the first, so that a replacement does not move the remaining places.
  std::ranges::sort(places, std::greater<>{}, &Edit::offset);
  for (const auto& place : places)
    text.replace(place.offset, scalar_end(text, place.offset) - place.offset, *place.json);
  return text;
}

std::string with_scalar_member(std::string text, const std::string& pointer, const std::string& key,
                               const std::string& json) {
  const Node root = parse_for_edit(text);
  const auto* object = node_at(root, pointer);
  if (object == nullptr || object->kind != Node::Kind::object || object->members.empty())
    throw ChangedMeanwhile(fmt::format("the file has no object at {}", pointer));
  if (object->find(key) != nullptr) return with_scalars(std::move(text), {{pointer + "/" + pointer_token(key), json}});
  const auto closing = closing_of(text, offset_of(text, object->position));
  const auto end = text.find_last_not_of(" \t\r\n", closing - 1) + 1;
  const bool lines = text.find('\n', end) < closing;
  const std::string newline = text.find("\r\n") != std::string::npos ? "\r\n" : "\n";
  const auto last = offset_of(text, object->members.back().position);
  const std::string gap = lines ? newline + indent_at(text, last) : " ";
  return text.insert(end, fmt::format(",{}{}: {}", gap, json_string(key), json));
}

std::string without_scalar_member(std::string text, const std::string& pointer, const std::string& key) {
  const Node root = parse_for_edit(text);
  const auto* object = node_at(root, pointer);
  if (object == nullptr || object->find(key) == nullptr) return text;
  const auto member = std::ranges::find(object->members, key, &Member::key);
  if (!is_scalar(&member->value))
    throw ChangedMeanwhile(fmt::format("the file has no number or text at {}/{}", pointer, key));
  auto begin = offset_of(text, member->position);
  auto end = scalar_end(text, offset_of(text, member->value.position));
  constexpr const char* space = " \t\r\n";
  if (const auto before = text.find_last_not_of(space, begin - 1); text[before] == ',') {
    begin = before;
  } else if (const auto after = text.find_first_not_of(space, end); text[after] == ',') {
    end = text.find_first_not_of(space, after + 1);
  }
  return text.erase(begin, end - begin);
}

} // namespace gradflight
