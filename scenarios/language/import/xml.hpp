// Parses tags and attributes of XML, without entities and text between tags: the subset in NCCL's topology files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<std::unique_ptr<XmlElement>> children;
  XmlElement* parent = nullptr;
  int line = 1; ///< line of its start tag

  /// Returns an attribute's value; empty if the element lacks it.
  [[nodiscard]] std::string text(const std::string& key) const;

  /// Returns the whole number at the beginning of an attribute's value, or `otherwise`.
  [[nodiscard]] int number(const std::string& key, int otherwise) const;
};

/// Returns a nameless element with the text's outermost elements as its children. Throws InputErrors with `path` and
/// the line for tags that are not closed, do not match, or are nested more than 100 deep.
std::unique_ptr<XmlElement> read_xml(std::string_view text, const std::string& path);

} // namespace gradflight
