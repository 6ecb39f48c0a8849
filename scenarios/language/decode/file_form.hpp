// Kinds of files: what each is called, what is in it, and which one a file is.
#pragma once

#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/sources.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gradflight {

class Resolver;

struct FileForm {
  std::string kind; ///< as the key "kind" says it
  Shape shape;      ///< of the whole file
  /// Reads further files that the root names, where its table does not say which: nothing where it is empty.
  std::function<void(Node& root, Resolver& resolver)> further{};

  [[nodiscard]] const TableInfo* table() const { return shape.table; }
};

/// Of a file with one object of that table.
FileForm object_form(const TableInfo& table);

/// Those that a file may have here. One: it is told what it is. Several: the first in case of doubt.
using FileForms = std::vector<const FileForm*>;

/// `forms` without those that the file's "kind" excludes. Something else than one of them is a problem.
FileForms said_forms(const Node& root, const std::string& pointer, const FileForms& forms,
                     std::vector<Problem>& problems);

/// Whether the root has all that a file of that shape requires; of a list one item must have all that it requires.
bool has_required(const Node& root, const Shape& shape);

/// What a file without "kind" is, once what it extends is in place: the first of `forms`, unless its keys lack
/// something that this one requires and have all that exactly one other requires.
const FileForm& form_of(const Node& root, const FileForms& forms);

} // namespace gradflight
