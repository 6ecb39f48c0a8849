// From files to one resolved document: includes, "extends" and --set are gone, positions are kept.
#pragma once

#include "scenarios/language/decode/file_form.hpp"
#include "scenarios/language/json/sources.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

struct Document {
  static constexpr int itself = 0; ///< among the sources: the file that was asked for, which is read first

  Node root;
  Sources sources;
  std::vector<Problem> problems;  ///< found on the way
  std::size_t mended = 0;         ///< problems with what was left out, or guessed: the rest of `root` is worth decoding
  bool complete = false;          ///< every file could be read: `root` is worth decoding
  const FileForm* form = nullptr; ///< of those that it may have, the one it has
  bool said = false;              ///< by its "kind"
};

inline constexpr int max_include_depth = 16;

/// What `--set` does, said by a file: `value` at the dotted `path`. Positions are those in the file `source`; paths in
/// `value` are relative to it.
struct Setting {
  std::string path;
  Node value;
  std::string source;
  Position position{}; ///< where the path's first character was written
};

/// A literal with another value in its place, as if it had been written there: a candidate of a fit.
struct Replacement {
  std::filesystem::path file; ///< weakly canonical
  std::string pointer;        ///< into the file as it is written, before anything is included
  Node value;                 ///< keeps the literal's position
};

struct Changes {
  std::vector<std::string> sets; ///< PATH=VALUE arguments
  std::vector<Setting> settings; ///< applied after them
  std::vector<Replacement> replacements;
  std::vector<Setting> before{}; ///< settings that come before the sets
};

/// Reads `path` and everything it names. Where a table says so, the path of a file may stand instead of an object, and
/// an object's "extends" names a file to start from. Paths are relative to the file they are written in. Changes are
/// applied to the resolved document. `forms`: what the file may be; they outlive the document.
Document read_document(const std::string& path, const FileForms& forms, const Changes& changes = {});

/// The same for text that stands for the file `name`.
Document parse_document(const std::string& text, const std::string& name, const FileForms& forms,
                        const Changes& changes = {});

/// Puts `value` at a dotted path (array items by number; null removes); what is missing on the way becomes objects.
/// `at`: where the path's first character was written.
void set_value(Node& root, const std::string& path, Node value, Position at, std::vector<Problem>& problems);

/// What the VALUE of PATH=VALUE means: JSON, else a text. `begin`: where it was written.
Node literal_or_text(const std::string& text, Position begin);

/// Applies one PATH=VALUE: dotted keys, array items by number; VALUE is JSON, else a text; null removes. `file` is the
/// source that stands for the argument, `line` its number.
void apply_set(Node& root, const std::string& argument, int file, int line, std::vector<Problem>& problems);

} // namespace gradflight
