// A JSON value that remembers where it was written, so that every later complaint can say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// `file` is an index into Sources; line and column count from 1.
struct Position {
  int file = 0, line = 0, column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Member;

struct Node {
  enum class Kind { null, boolean, integer, number, text, list, object };
  Kind kind = Kind::null;
  Position position{};
  bool boolean = false;
  std::int64_t integer = 0;    ///< Kind::integer only
  double number = 0;           ///< integer and number
  std::string text{};          ///< text: its value; integer and number: as written
  std::vector<Node> items;     ///< list
  std::vector<Member> members; ///< object, in the order written
  bool stands_alone = false;   ///< came from a file of its own: replaces an inherited value, is not merged into it

  static Node of(bool value);
  static Node of(std::int64_t value);
  static Node of(double value);
  static Node of(std::string value);
  static Node object();
  static Node list(std::vector<Node> items);

  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
  /// Adds the member, or replaces the value of the one that is there.
  void set(std::string_view key, Node value);
  void erase(std::string_view key);
};

struct Member {
  std::string key;
  Position position{};
  Node value{};
};

/// "//", "// nodes": a key whose value, a text, is for people. Any object may have some.
inline bool is_comment(std::string_view key) { return key.starts_with("//"); }

/// The value `pointer` names, or, where the path ends early, the last value on the way.
const Node& locate(const Node& root, std::string_view pointer);

/// The value `pointer` (RFC 6901) names exactly; null where there is none.
const Node* node_at(const Node& root, std::string_view pointer);
Node* node_at(Node& root, std::string_view pointer);

/// "a list", "the number 7", ...
std::string kind_text(const Node& node);

/// JSON on one line, cut after about `limit` characters: for messages.
std::string brief_text(const Node& node, std::size_t limit = 50);

/// Keys sorted, lists of scalars on one line, indented by two; ends with a newline.
std::string json_text_sorted(const Node& node);
/// Keys in their order, otherwise the same.
std::string json_text_ordered(const Node& node);

/// A JSON string literal, quotes included.
std::string json_string(std::string_view text);

/// One token of a JSON pointer, escaped (RFC 6901).
std::string pointer_token(std::string_view key);

} // namespace gradflight
