// Notes about parts of a log that were left out: one note for each kind, with the number of occurrences.
#pragma once

#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace gradflight::measured {

class LeftOut {
public:
  explicit LeftOut(std::string path) : path_(std::move(path)) {}

  /// `kind` identifies the kind, but is not shown. `message()` is called only for the first occurrence of a kind.
  template <class Message> void add(const char* kind, int line, int column, Message message) {
    const auto found = std::ranges::find(kinds_, kind, &Kind::name);
    if (found != kinds_.end())
      ++found->count;
    else
      kinds_.push_back({kind, line, column, 1, message()});
  }
  [[nodiscard]] bool empty() const { return kinds_.empty(); }
  [[nodiscard]] std::vector<Diagnostic> diagnostics() const {
    std::vector<Diagnostic> all;
    for (const Kind& kind : kinds_)
      all.push_back(
          {path_, kind.line, kind.column, "",
           kind.count == 1 ? kind.message : fmt::format("{}; {} more like it", kind.message, kind.count - 1)});
    std::ranges::stable_sort(all, {}, [](const Diagnostic& d) { return std::pair(d.line, d.column); });
    return all;
  }

private:
  struct Kind {
    std::string name;
    int line = 0, column = 0;
    std::int64_t count = 0;
    std::string message;
  };
  std::string path_;
  std::vector<Kind> kinds_;
};

} // namespace gradflight::measured
