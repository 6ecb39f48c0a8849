// The files and --set arguments of a document.
#pragma once

#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/json/node.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// A diagnostic with the index of its file.
struct Problem {
  Position position{};
  std::string pointer, message;
};

class Sources {
public:
  /// `argument`: the text of a --set; it appears in every message about it.
  int add(std::string name, std::string argument = {});
  [[nodiscard]] const std::string& name(int file) const { return entries_[static_cast<std::size_t>(file)].name; }
  /// Returns diagnostics sorted by position, without repetitions.
  [[nodiscard]] std::vector<Diagnostic> diagnostics(std::vector<Problem> problems) const;

private:
  struct Entry {
    std::string name, argument;
  };
  std::vector<Entry> entries_;
};

} // namespace gradflight
