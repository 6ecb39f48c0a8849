// Puts the files that a document names in the place of their names: by the tables' own words, which keys are such.
#pragma once

#include "scenarios/language/decode/document.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Resolver {
public:
  Resolver(Document& document, const std::vector<Replacement>& replacements)
      : document_(document), replacements_(replacements) {}

  /// The file's value, which will stand at `pointer`. Nothing if it cannot be used; the problem is then at `from` (the
  /// value of `key` there), or at the file itself for the first one.
  std::optional<Node> file(const std::string& path, const FileForms& forms, const Node* from,
                           const std::string& pointer, const std::string& key = {});
  /// The same of text that stands for the file.
  std::optional<Node> text(const std::string& content, const std::string& path, const std::filesystem::path& identity,
                           const FileForms& forms, const std::string& pointer);

  /// Replaces paths and "extends" in `node`, which stands at `pointer`. Does nothing to what is resolved already.
  void resolve(Node& node, const FileForms& forms, const std::string& pointer);

  /// An object that may be a file of its own, where it stands, or the path of one.
  void include(Node& part, const TableInfo& table, const std::string& pointer);

  /// A list of objects of `table`, where it stands, or the path of a file with one: JSON, or CSV with keys as columns,
  /// or, where `swf` allows it, a Standard Workload Format trace.
  void include_rows(Node& part, const TableInfo& table, bool swf, const std::string& pointer);

  /// A path as written, seen from the file it is written in.
  [[nodiscard]] std::string beside(const Node& path) const;

  Document& document() { return document_; }

private:
  void include_parts(Node& node, const TableInfo& table, const std::string& pointer);
  void include_alternative(Node& part, const Shape& shape, const std::string& pointer);
  struct Link {
    std::string path;
    std::filesystem::path identity;
  };
  void replace_literals(Node& root, const std::filesystem::path& identity) const;
  void extend(Node& node, const FileForms& forms, const std::string& pointer);
  void start_from_catalogue(Node& node, const FileForm& form, const std::string& pointer);
  [[nodiscard]] std::string chain_text(const std::string& last) const;

  Document& document_;
  const std::vector<Replacement>& replacements_;
  std::vector<Link> chain_;
  std::string missing_file_{}; ///< that a text would name, were it no name of the catalogue
};

} // namespace gradflight
