// Converts files to one resolved document. Includes, "extends" and --set are applied; positions are kept.
#pragma once

#include "scenarios/language/decode/file_form.hpp"
#include "scenarios/language/json/sources.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

struct Document {
  static constexpr int itself = 0; ///< index of the requested file among the sources; it is read first

  Node root;
  Sources sources;
  std::vector<Problem> problems;  ///< found during the resolution
  std::size_t mended = 0;         ///< problems that were repaired by omission or a guess: `root` can still be decoded
  bool complete = false;          ///< true: every file was read, so `root` can be decoded
  const FileForm* form = nullptr; ///< the form of the file, one of the allowed forms
  bool said = false;              ///< the file's "kind" gives the form
};

inline constexpr int max_include_depth = 16;

/// The effect of `--set` in a file: sets the dotted `path` to `value`. Positions refer to the file `source`; paths in
/// `value` are relative to it.
struct Setting {
  std::string path;
  Node value;
  std::string source;
  Position position{}; ///< position of the path's first character
};

/// Replaces a literal as if the file contained the new value: a candidate of a fit.
struct Replacement {
  std::filesystem::path file; ///< weakly canonical
  std::string pointer;        ///< into the original file, before includes
  Node value;                 ///< with the position of the literal
};

struct Changes {
  std::vector<std::string> sets; ///< PATH=VALUE arguments
  std::vector<Setting> settings; ///< applied after `sets`
  std::vector<Replacement> replacements;
  std::vector<Setting> before{}; ///< applied before `sets`
};

/// Reads `path` and every file that it names. If a table allows it, the path of a file may replace an object, and
/// "extends" of an object names a file to start from. Paths are relative to the file that contains them. Changes are
/// applied to the resolved document. `forms` are the allowed forms; they must outlive the document.
Document read_document(const std::string& path, const FileForms& forms, const Changes& changes = {});

/// The same for `text`, which represents the file `name`.
Document parse_document(const std::string& text, const std::string& name, const FileForms& forms,
                        const Changes& changes = {});

/// Sets `value` at a dotted path (array items by number; null removes). Missing parents become objects. `at` is the
/// position of the path's first character.
void set_value(Node& root, const std::string& path, Node value, Position at, std::vector<Problem>& problems);

/// Parses the VALUE of PATH=VALUE: JSON, else a text. `begin` is its position.
Node literal_or_text(const std::string& text, Position begin);

/// Applies one PATH=VALUE: dotted keys, array items by number; VALUE is JSON, else a text; null removes. `file` is the
/// index of the source that represents the argument, and `line` its number.
void apply_set(Node& root, const std::string& argument, int file, int line, std::vector<Problem>& problems);

} // namespace gradflight
