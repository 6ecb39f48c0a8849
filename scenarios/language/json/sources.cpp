#include "scenarios/language/json/sources.hpp"

#include <algorithm>

namespace gradflight {

int Sources::add(std::string name, std::string argument) {
  entries_.push_back({std::move(name), std::move(argument)});
  return static_cast<int>(entries_.size()) - 1;
}

std::vector<Diagnostic> Sources::diagnostics(std::vector<Problem> problems) const {
  std::ranges::stable_sort(problems, {}, &Problem::position);
  std::vector<Diagnostic> result;
  for (auto& p : problems) {
    const auto& entry = entries_[static_cast<std::size_t>(p.position.file)];
    Diagnostic d{entry.name,           p.position.line,      p.position.column,
                 std::move(p.pointer), std::move(p.message), entry.argument};
    // Repetitions have the same position, so they are next to each other.
    const auto elsewhere = [&](const Diagnostic& other) {
      return other.file != d.file || other.line != d.line || other.column != d.column;
    };
    const auto first = std::find_if(result.rbegin(), result.rend(), elsewhere).base();
    if (std::find(first, result.end(), d) == result.end()) result.push_back(std::move(d));
  }
  return result;
}

} // namespace gradflight
