#include "scenarios/language/json/node.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace gradflight {

Node Node::of(bool value) {
  Node node;
  node.kind = Kind::boolean;
  node.boolean = value;
  return node;
}

Node Node::of(std::int64_t value) {
  Node node;
  node.kind = Kind::integer;
  node.integer = value;
  node.number = static_cast<double>(value);
  node.text = fmt::format("{}", value);
  return node;
}

Node Node::of(double value) {
  constexpr double exact = 9007199254740992.0;
  if (value == static_cast<double>(static_cast<std::int64_t>(std::clamp(value, -exact, exact))))
    return of(static_cast<std::int64_t>(value));
  Node node;
  node.kind = Kind::number;
  node.number = value;
  node.text = fmt::format("{}", value);
  return node;
}

Node Node::of(std::string value) {
  Node node;
  node.kind = Kind::text;
  node.text = std::move(value);
  return node;
}

Node Node::object() {
  Node node;
  node.kind = Kind::object;
  return node;
}

Node Node::list(std::vector<Node> items) {
  Node node;
  node.kind = Kind::list;
  node.items = std::move(items);
  return node;
}

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &found->value;
}

void Node::set(std::string_view key, Node value) {
  if (auto* old = find(key)) {
    *old = std::move(value);
    return;
  }
  const auto written_at = value.position;
  members.push_back({std::string(key), written_at, std::move(value)});
}

void Node::erase(std::string_view key) {
  std::erase_if(members, [&](const Member& member) { return member.key == key; });
}

namespace {

/// Returns the value of an escaped pointer token; null if none exists. N is Node or const Node.
template <class N> N* below(N& node, std::string_view token) {
  if (node.kind == Node::Kind::object) {
    const auto found =
        std::ranges::find_if(node.members, [&](const Member& member) { return pointer_token(member.key) == token; });
    return found == node.members.end() ? nullptr : &found->value;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    if (token == fmt::format("{}", i)) return &node.items[i];
  return nullptr;
}

/// Follows `pointer` as far as possible; leaves the rest in `pointer`.
template <class N> N& follow(N& root, std::string_view& pointer) {
  auto* node = &root;
  while (pointer.starts_with('/')) {
    const auto end = std::min(pointer.find('/', 1), pointer.size());
    auto* next = below(*node, pointer.substr(1, end - 1));
    if (next == nullptr) break;
    node = next;
    pointer.remove_prefix(end);
  }
  return *node;
}

template <class N> N* exactly(N& root, std::string_view pointer) {
  auto& node = follow(root, pointer);
  return pointer.empty() ? &node : nullptr;
}

} // namespace

const Node& locate(const Node& root, std::string_view pointer) { return follow(root, pointer); }

const Node* node_at(const Node& root, std::string_view pointer) { return exactly(root, pointer); }
Node* node_at(Node& root, std::string_view pointer) { return exactly(root, pointer); }

std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return token;
}

} // namespace gradflight
