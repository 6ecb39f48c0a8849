// A JSON value with its position in the input, so that later messages can contain it.
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
  std::string text{};          ///< text: its value; integer and number: the original text
  std::vector<Node> items;     ///< list
  std::vector<Member> members; ///< object: its members in their original order
  bool stands_alone = false;   ///< from a separate file: replaces an inherited value, without a merge
  bool unread = false;         ///< the name of a file that should stand here and could not be read; this is reported

  bool without_base = false; ///< an object that extends a file that could not be read: it may lack any key

  static Node of(bool value);
  static Node of(std::int64_t value);
  static Node of(double value);
  static Node of(std::string value);
  static Node object();
  static Node list(std::vector<Node> items);

  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
  /// Adds the member, or replaces the value of an existing one.
  void set(std::string_view key, Node value);
  void erase(std::string_view key);
};

struct Member {
  std::string key;
  Position position{};
  Node value{};
};

/// A key such as "//" or "// nodes": its value is a text for people. Any object may contain such keys.
inline bool is_comment(std::string_view key) { return key.starts_with("//"); }

/// Returns the value at `pointer`; if the path ends early, the last value on the path.
const Node& locate(const Node& root, std::string_view pointer);

/// Returns the value exactly at `pointer` (RFC 6901); null if none exists.
const Node* node_at(const Node& root, std::string_view pointer);
Node* node_at(Node& root, std::string_view pointer);

/// Returns "a list", "the number 7", ...
std::string kind_text(const Node& node);

/// Returns JSON on one line, shortened to about `limit` characters, for messages.
std::string brief_text(const Node& node, std::size_t limit = 50);

/// Returns JSON with sorted keys, lists of scalars on one line, indented by two; ends with a newline.
std::string json_text_sorted(const Node& node);
/// The same with keys in their original order.
std::string json_text_ordered(const Node& node);

/// Returns a JSON string literal, quotes included.
std::string json_string(std::string_view text);

/// Returns one token of a JSON pointer, escaped (RFC 6901).
std::string pointer_token(std::string_view key);

} // namespace gradflight
