// Replaces names of files in a document by the files' content. The tables define which keys name files.
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

  /// Returns the file's value; it will be at `pointer`. Returns nothing if the file is not valid. The problem is then
  /// at `from` (the value of `key`), or at the file itself for the first file.
  std::optional<Node> file(const std::string& path, const FileForms& forms, const Node* from,
                           const std::string& pointer, const std::string& key = {});
  /// The same for text that represents the file.
  std::optional<Node> text(const std::string& content, const std::string& path, const std::filesystem::path& identity,
                           const FileForms& forms, const std::string& pointer);

  /// Replaces paths and "extends" in `node`, which is at `pointer`. Does not change resolved values.
  void resolve(Node& node, const FileForms& forms, const std::string& pointer);

  /// Reads an object that is written in place, or as the path of a file.
  void include(Node& part, const TableInfo& table, const std::string& pointer);

  /// Reads a list of objects of `table` that is written in place, or as the path of a file. The file is JSON, or CSV
  /// with keys as columns, or, if `swf` is true, a Standard Workload Format trace.
  void include_rows(Node& part, const TableInfo& table, bool swf, const std::string& pointer);

  /// Returns the number of problems that were not mended.
  [[nodiscard]] std::size_t unmended() const { return document_.problems.size() - document_.mended; }
  /// Leaves out a value whose file cannot be read, so that mistakes elsewhere are reported, too. Its problems are those
  /// since there were `before` unmended ones.
  void leave_out(Node& part, std::size_t before);

  /// Returns a path relative to the file that contains it.
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
  std::string missing_file_{}; ///< the missing file that a text would name if it is not in the catalogue
};

} // namespace gradflight
