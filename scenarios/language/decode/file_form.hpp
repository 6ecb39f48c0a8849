// Kinds of files: the name and content of each kind, and how to identify a file.
#pragma once

#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/sources.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

class Resolver;

struct FileForm {
  std::string kind; ///< the value of the key "kind"
  Shape shape;      ///< of the whole file
  /// Reads further files that the root names, if its table does not describe them; empty: none.
  std::function<void(Node& root, Resolver& resolver)> further{};

  [[nodiscard]] const TableInfo* table() const { return shape.table; }
};

/// Returns the form of a file with one object of that table.
FileForm object_form(const TableInfo& table);

/// The allowed forms of a file. With one form, the file has it. With several, the first is the default.
using FileForms = std::vector<const FileForm*>;

/// Returns "this is a platform; expected a scenario".
std::string other_kind_text(std::string_view kind, std::string_view wanted);

/// Returns `forms` without those that the file's "kind" excludes. A "kind" that is not in `forms` is a problem.
FileForms possible_forms(const Node& root, const std::string& pointer, const FileForms& forms,
                         std::vector<Problem>& problems);

/// Whether the root has all keys that the shape requires. For a list, one item must have all required keys.
bool has_required(const Node& root, const Shape& shape);

/// Returns the form of a file without "kind", after "extends" is resolved. This is the first of `forms`, unless the
/// root lacks a key that it requires, and has all keys that exactly one other form requires.
const FileForm& form_of(const Node& root, const FileForms& forms);

} // namespace gradflight
