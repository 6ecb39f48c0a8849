// Writes values as JSON. nlohmann/json only escapes the strings; numbers keep their original text.
#include "scenarios/language/json/node.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

bool scalar(const Node& node) { return node.kind != Node::Kind::list && node.kind != Node::Kind::object; }

std::string scalar_text(const Node& node) {
  switch (node.kind) {
  case Node::Kind::null: return "null";
  case Node::Kind::boolean: return node.boolean ? "true" : "false";
  case Node::Kind::text: return json_string(node.text);
  default: return node.text;
  }
}

class Printer {
public:
  explicit Printer(bool sorted) : sorted_(sorted) {}
  std::string out;

  void print(const Node& node, int depth) {
    if (scalar(node)) {
      out += scalar_text(node);
    } else if (node.kind == Node::Kind::list) {
      const bool flat = std::ranges::all_of(node.items, scalar);
      separated(node.items, depth, flat, '[', ']', [&](const Node& item) { print(item, depth + 1); });
    } else {
      std::vector<const Member*> members;
      for (const auto& member : node.members) members.push_back(&member);
      if (sorted_) std::ranges::sort(members, {}, &Member::key);
      separated(members, depth, false, '{', '}', [&](const Member* member) {
        out += json_string(member->key) + ": ";
        print(member->value, depth + 1);
      });
    }
  }

private:
  template <class Items, class Each>
  void separated(const Items& items, int depth, bool flat, char open, char close, Each each) {
    out += open;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out += flat ? ", " : ",";
      first = false;
      if (!flat) new_line(depth + 1);
      each(item);
    }
    if (!flat && !first) new_line(depth);
    out += close;
  }
  void new_line(int depth) {
    out += '\n';
    out.append(2 * static_cast<std::size_t>(depth), ' ');
  }
  bool sorted_;
};

void print_brief(const Node& node, std::size_t limit, std::string& out) {
  if (out.size() > limit) return;
  if (scalar(node)) {
    out += scalar_text(node);
    return;
  }
  const bool list = node.kind == Node::Kind::list;
  out += list ? "[" : "{";
  const char* separator = "";
  for (const auto& item : node.items) {
    out += std::exchange(separator, ", ");
    print_brief(item, limit, out);
    if (out.size() > limit) return;
  }
  for (const auto& member : node.members) {
    out += std::exchange(separator, ", ") + json_string(member.key) + ": ";
    print_brief(member.value, limit, out);
    if (out.size() > limit) return;
  }
  out += list ? "]" : "}";
}

} // namespace

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string kind_text(const Node& node) {
  switch (node.kind) {
  case Node::Kind::null: return "null";
  case Node::Kind::boolean: return node.boolean ? "true" : "false";
  case Node::Kind::integer:
  case Node::Kind::number: return "the number " + brief_text(node);
  case Node::Kind::text: return "the text " + brief_text(node);
  case Node::Kind::list: return "a list";
  case Node::Kind::object: return "an object";
  }
  return {};
}

std::string brief_text(const Node& node, std::size_t limit) {
  std::string out;
  print_brief(node, limit, out);
  if (out.size() <= limit) return out;
  auto end = limit;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end; // not inside a UTF-8 sequence
  return out.substr(0, end) + "...";
}

std::string json_text_sorted(const Node& node) {
  Printer printer(true);
  printer.print(node, 0);
  return printer.out + "\n";
}

std::string json_text_ordered(const Node& node) {
  Printer printer(false);
  printer.print(node, 0);
  return printer.out + "\n";
}

} // namespace gradflight
