#include "scenarios/language/import/xml.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <system_error>
#include <utility>

namespace gradflight {
namespace {

class XmlReader {
public:
  XmlReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  std::unique_ptr<XmlElement> read() {
    auto root = std::make_unique<XmlElement>();
    XmlElement* open = root.get();
    std::size_t depth = 0;
    while (skip_to('<')) {
      ++at_;
      if (text_.substr(at_, 3) == "!--") {
        const std::size_t end = text_.find("-->", at_);
        if (end == std::string_view::npos) refuse("a comment is never closed");
        at_ = end + 3;
      } else if (text_.substr(at_, 1) == "?" || text_.substr(at_, 1) == "!") {
        if (!skip_to('>')) refuse("a tag is never closed");
      } else if (text_.substr(at_, 1) == "/") {
        ++at_;
        const std::string name = word();
        if (open == root.get() || open->name != name) refuse(fmt::format("</{}> has no matching start tag", name));
        open = open->parent;
        --depth;
        if (!skip_to('>')) refuse("a tag is never closed");
      } else {
        auto element = std::make_unique<XmlElement>();
        element->line = line();
        element->parent = open;
        element->name = word();
        if (element->name.empty()) refuse("a tag has no name");
        const bool closed = attributes(*element);
        XmlElement* next = element.get();
        open->children.push_back(std::move(element));
        if (closed) continue;
        open = next;
        if (++depth > 100) refuse("nested more than 100 deep");
      }
    }
    if (open != root.get())
      refuse(fmt::format("<{}> of line {} is never closed; is the file cut off?", open->name, open->line));
    return root;
  }

private:
  [[noreturn]] void refuse(std::string why) const { throw InputErrors({{path_, line(), 1, "", std::move(why)}}); }
  [[nodiscard]] int line() const {
    return 1 + static_cast<int>(std::ranges::count(text_.substr(0, std::min(at_, text_.size())), '\n'));
  }
  bool skip_to(char c) {
    at_ = std::min(text_.find(c, at_), text_.size());
    return at_ < text_.size();
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '>' && text_[at_] != '/' && text_[at_] != '=')
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// Parses up to the end of the tag; returns whether the tag closes itself.
  bool attributes(XmlElement& element) {
    for (;;) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ >= text_.size()) refuse(fmt::format("<{}> is never closed; is the file cut off?", element.name));
      if (text_[at_] == '>') {
        ++at_;
        return false;
      }
      if (text_.substr(at_, 2) == "/>") {
        at_ += 2;
        return true;
      }
      const std::string key = word();
      if (key.empty() || text_.substr(at_, 2) != "=\"") refuse("an attribute should be name=\"value\"");
      at_ += 2;
      const std::size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) refuse("a value's quote is never closed");
      element.attributes[key] = text_.substr(at_, end - at_);
      at_ = end + 1;
    }
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
};

} // namespace

std::string XmlElement::text(const std::string& key) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? std::string() : found->second;
}

int XmlElement::number(const std::string& key, int otherwise) const {
  const std::string value = text(key);
  int number = otherwise;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end != value.data() ? number : otherwise;
}

std::unique_ptr<XmlElement> read_xml(std::string_view text, const std::string& path) {
  return XmlReader(text, path).read();
}

} // namespace gradflight
