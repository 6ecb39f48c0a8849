#include "scenarios/language/json/diagnostics.hpp"

#include <fmt/format.h>

namespace gradflight {

std::string format(const Diagnostic& d) {
  auto text = d.file;
  if (d.line > 0) text += fmt::format(":{}:{}", d.line, d.column);
  if (!d.pointer.empty()) text += ": " + d.pointer;
  return text + ": " + d.message;
}

InputErrors::InputErrors(std::vector<Diagnostic> found) : diagnostics_(std::move(found)) {
  for (const auto& d : diagnostics_) text_ += gradflight::format(d) + "\n";
}

} // namespace gradflight
