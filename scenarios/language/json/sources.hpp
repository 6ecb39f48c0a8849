// The files (and --set arguments) that a document was read from.
#pragma once

#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/json/node.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// A diagnostic whose file is still an index.
struct Problem {
  Position position{};
  std::string pointer, message;
};

class Sources {
public:
  /// `argument`: the text of a --set, added to every message about it.
  int add(std::string name, std::string argument = {});
  [[nodiscard]] const std::string& name(int file) const { return entries_[static_cast<std::size_t>(file)].name; }
  /// Sorted by position, repeated ones dropped.
  [[nodiscard]] std::vector<Diagnostic> diagnostics(std::vector<Problem> problems) const;

private:
  struct Entry {
    std::string name, argument;
  };
  std::vector<Entry> entries_;
};

} // namespace gradflight
