// Tags and attributes of XML, without entities and text between tags, as NCCL writes and reads its topology.
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
  int line = 1; ///< of its start tag

  /// An attribute's value; empty if the element lacks it.
  [[nodiscard]] std::string text(const std::string& key) const;

  /// The whole number that an attribute's value begins with, or `otherwise`.
  [[nodiscard]] int number(const std::string& key, int otherwise) const;
};

/// A nameless element with the text's outermost elements as its children. Throws InputErrors with `path` and the line
/// of what is wrong: tags that are not closed or do not match, or that are nested more than 100 deep.
std::unique_ptr<XmlElement> read_xml(std::string_view text, const std::string& path);

} // namespace gradflight
