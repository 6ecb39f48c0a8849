// nlohmann/json parses the text (SAX interface). This file adds the position of each token, which the library does not
// report.
#include "scenarios/language/json/json_reader.hpp"

#include "scenarios/language/json/json_mistake.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace gradflight {
namespace {

/// Follows the parser through the text. Events are in text order. So the next token begins after the last one, after
/// white space, commas and colons.
class Cursor {
public:
  Cursor(std::string_view text, int file) : text_(text), here_{file, 1, 1} {}

  /// Returns the position of the next token, and moves after it.
  Position take_token() {
    while (offset_ < text_.size() && std::strchr(" \t\r\n,:", text_[offset_]) != nullptr) step();
    const auto begin = here_;
    if (offset_ >= text_.size()) return begin;
    const char first = text_[offset_];
    step();
    if (first == '"') {
      while (offset_ < text_.size() && text_[offset_] != '"') {
        if (text_[offset_] == '\\') step();
        step();
      }
      step();
    } else if (std::strchr("{}[]", first) == nullptr) {
      while (offset_ < text_.size() && std::strchr(" \t\r\n,:{}[]", text_[offset_]) == nullptr) step();
    }
    return begin;
  }

  void move_to(std::size_t offset) {
    while (offset_ < std::min(offset, text_.size())) step();
  }
  [[nodiscard]] Position here() const { return here_; }

private:
  void step() {
    if (offset_ >= text_.size()) return;
    const auto byte = static_cast<unsigned char>(text_[offset_++]);
    if (byte == '\n') {
      ++here_.line;
      here_.column = 1;
    } else if (offset_ >= text_.size() || (static_cast<unsigned char>(text_[offset_]) & 0xC0U) != 0x80U) {
      ++here_.column; // the next byte begins a character
    }
  }
  std::string_view text_;
  std::size_t offset_ = 0;
  Position here_;
};

constexpr const char* nul_message = "not valid JSON: a NUL byte is here; is the file damaged, or not UTF-8?";

/// Returns what is wrong at `offset` of the text, with a hint for frequent mistakes. `what` is nlohmann/json's message.
std::string syntax_message(std::string_view text, std::size_t offset, const std::string& what) {
  const std::string_view rest = text.substr(offset);
  if (rest.starts_with('\0')) return nul_message;
  for (const auto* name : {"NaN", "Infinity", "-Infinity"})
    if (rest.starts_with(name)) return "NaN and infinity are not numbers in JSON: write a finite number";
  if (rest.starts_with('\'')) return "JSON strings need double quotes, not single quotes";
  if (rest.starts_with('/')) return "JSON has no comments: write a key, \"//\": \"the comment\"";
  if (what.find("ill-formed UTF-8") != std::string::npos) return "invalid UTF-8: save the file as UTF-8";
  const auto before = text.substr(0, offset).find_last_not_of(" \t\r\n");
  return "not valid JSON: " + json_mistake(what, before != std::string_view::npos && text[before] == ',');
}

class Builder {
public:
  using json = nlohmann::json;
  Builder(std::string_view text, int file, std::vector<Problem>& problems)
      : text_(text), cursor_(text, file), problems_(problems) {}

  Node root;

  bool null() { return add({}); }
  bool boolean(bool value) { return add(Node::of(value)); }
  bool number_integer(json::number_integer_t value) { return add(Node::of(std::int64_t{value})); }
  bool number_unsigned(json::number_unsigned_t value) {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) return add(Node::of(static_cast<std::int64_t>(value)));
    return number_float(static_cast<double>(value), fmt::format("{}", value));
  }
  bool number_float(json::number_float_t value, const json::string_t& written) {
    Node node;
    node.kind = Node::Kind::number;
    node.number = value;
    node.text = written;
    return add(std::move(node));
  }
  bool string(json::string_t& value) { return add(Node::of(std::move(value))); }
  static bool binary(json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(Node::object()); }
  bool start_array(std::size_t /*size*/) { return open(Node::list({})); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(json::string_t& key) {
    const auto position = cursor_.take_token();
    auto& level = levels_.back();
    if (!level.keys.insert(key).second)
      problems_.push_back({position, pointer() + "/" + pointer_token(key),
                           fmt::format("the key {} appears twice", brief_text(Node::of(key)))});
    level.node.members.push_back({std::move(key), position, {}});
    return true;
  }

  bool parse_error(std::size_t offset, const std::string& token, const nlohmann::detail::exception& error) {
    const auto at = std::min(offset > 0 ? offset - 1 : 0, text_.size());
    cursor_.move_to(at);
    if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos)
      problems_.push_back({cursor_.here(), "", "the file is empty; a scenario is a JSON object"});
    else if (dynamic_cast<const nlohmann::detail::out_of_range*>(&error) != nullptr)
      problems_.push_back({cursor_.here(), "", fmt::format("the number {} is too large for a double", token)});
    else
      problems_.push_back({cursor_.here(), "", syntax_message(text_, at, error.what())});
    return false;
  }

  /// nlohmann/json treats a NUL byte as the end of the text, so the text after it was not parsed.
  void refuse_nul() {
    const auto nul = text_.find('\0');
    if (nul == std::string_view::npos) return;
    cursor_.move_to(nul);
    problems_.push_back({cursor_.here(), "", nul_message});
  }

private:
  struct Level {
    Node node;
    std::unordered_set<std::string> keys{}; // used only to check membership
  };

  bool add(Node node) {
    node.position = cursor_.take_token();
    place(std::move(node));
    return true;
  }
  bool open(Node node) {
    node.position = cursor_.take_token();
    if (levels_.size() >= static_cast<std::size_t>(max_json_depth)) {
      problems_.push_back({node.position, "", fmt::format("nested deeper than {} levels", max_json_depth)});
      return false;
    }
    levels_.push_back({std::move(node)});
    return true;
  }
  bool close() {
    cursor_.take_token();
    auto node = std::move(levels_.back().node);
    levels_.pop_back();
    place(std::move(node));
    return true;
  }
  void place(Node node) {
    if (levels_.empty()) {
      root = std::move(node);
    } else if (levels_.back().node.kind == Node::Kind::list) {
      levels_.back().node.items.push_back(std::move(node));
    } else {
      levels_.back().node.members.back().value = std::move(node);
    }
  }
  [[nodiscard]] std::string pointer() const {
    std::string path;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      const auto& node = levels_[i].node;
      path += '/';
      path +=
          node.kind == Node::Kind::list ? fmt::format("{}", node.items.size()) : pointer_token(node.members.back().key);
    }
    return path;
  }

  std::string_view text_;
  Cursor cursor_;
  std::vector<Problem>& problems_;
  std::vector<Level> levels_;
};

} // namespace

std::optional<Node> parse_json(std::string_view text, int file, std::vector<Problem>& problems) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto before = problems.size();
  Builder builder(text, file, problems);
  const bool read = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  if (read) builder.refuse_nul();
  if (!read || problems.size() > before) return std::nullopt;
  return std::move(builder.root);
}

FileText read_file(const std::string& path) {
  FileText content = read_file(path, max_file_bytes + 1);
  if (content.text.size() > max_file_bytes) return {{}, "the file is larger than 16 MiB, the limit for a scenario"};
  return content;
}

} // namespace gradflight
