#include "base/parse_number.hpp"
#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace gradflight {
namespace {

/// Sets the positions in `node`: all of it is in the argument, `shift` characters after its beginning.
void shift_positions(Node& node, int line, int shift) {
  const auto move = [&](Position& position) {
    if (position.line == 1) position.column += shift;
    position.line = line;
  };
  move(node.position);
  for (auto& item : node.items) shift_positions(item, line, shift);
  for (auto& member : node.members) {
    move(member.position);
    shift_positions(member.value, line, shift);
  }
}

/// Returns the item of a list; if none exists, returns null and sets `why`.
Node* item_at(Node& list, const std::string& token, std::string& why) {
  const auto index = parse_number<std::size_t>(token);
  if (index && *index < list.items.size()) return &list.items[*index];
  why = index ? fmt::format("item {} does not exist: the list has {}, numbered from 0", token,
                            list.items.size() == 1 ? "1 item" : fmt::format("{} items", list.items.size()))
              : fmt::format("the value is a list, and \"{}\" is not the number of an item; expected 0, 1, ...", token);
  return nullptr;
}

} // namespace

Node literal_or_text(const std::string& text, Position begin) {
  std::vector<Problem> not_json;
  auto value = parse_json(text, begin.file, not_json);
  if (value) {
    shift_positions(*value, begin.line, begin.column - 1);
    return *value;
  }
  auto node = Node::of(text);
  node.position = begin;
  return node;
}

void set_value(Node& root, const std::string& path, Node value, Position at, std::vector<Problem>& problems) {
  if (path.empty() || path.find("..") != std::string::npos || path.starts_with('.') || path.ends_with('.')) {
    problems.push_back({at, "", "the path has an empty part; expected keys with single dots between them"});
    return;
  }
  auto* node = &root;
  std::string pointer;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('.', begin), path.size());
    const auto token = path.substr(begin, end - begin);
    const bool last = end == path.size();
    if (node->unread) return; // nobody knows what the file contains
    const Position here{at.file, at.line, at.column + static_cast<int>(begin)};
    const auto fail = [&](std::string why) { problems.push_back({here, pointer, std::move(why)}); };
    if (node->kind == Node::Kind::list) {
      std::string why;
      auto* item = item_at(*node, token, why);
      if (item == nullptr) return fail(why);
      if (last) {
        *item = std::move(value);
        return;
      }
      node = item;
    } else if (node->kind == Node::Kind::object) {
      const bool present = node->find(token) != nullptr;
      if (last && value.kind == Node::Kind::null) return node->erase(token);
      if (last) {
        node->set(token, std::move(value));
        std::ranges::find(node->members, token, &Member::key)->position = here;
        return;
      }
      if (!present) {
        auto created = Node::object();
        created.position = here;
        node->set(token, std::move(created));
      }
      node = node->find(token);
    } else {
      return fail(fmt::format("the value is {}, which has no key \"{}\"", kind_text(*node), token));
    }
    pointer += '/';
    pointer += pointer_token(token);
    begin = end + 1;
  }
}

void apply_set(Node& root, const std::string& argument, int file, int line, std::vector<Problem>& problems) {
  const auto equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    problems.push_back({{file, line, 1}, "", "expected PATH=VALUE, such as platform.nodes=8"});
    return;
  }
  const auto path = argument.substr(0, equals);
  auto value = literal_or_text(argument.substr(equals + 1), {file, line, static_cast<int>(equals) + 2});
  set_value(root, path, std::move(value), {file, line, 1}, problems);
}

} // namespace gradflight
