#include "scenarios/language/json/diagnostics.hpp"

#include "base/visible.hpp"

#include <fmt/format.h>

namespace gradflight {

namespace {

// Our own messages are shorter. Longer texts contain a text, key or name from the input.
constexpr std::size_t longest_pointer = 200, longest_argument = 200, longest_message = 4000;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Shortens text to about `most` bytes. Keeps the beginning and a longer end, because the advice is at the end.
std::string in_short(const std::string& text, std::size_t most) {
  if (text.size() <= most) return visible(text);
  auto head = most / 4, tail = text.size() - (most - head);
  while (head > 0 && continues_character(text[head])) --head;
  while (tail < text.size() && continues_character(text[tail])) ++tail;
  return visible(text.substr(0, head)) + "..." + visible(text.substr(tail));
}

std::string place_text(const Diagnostic& d) {
  if (!d.argument.empty()) return fmt::format("{} {}", d.file, in_short(d.argument, longest_argument));
  return d.line > 0 ? fmt::format("{}:{}:{}", visible(d.file), d.line, d.column) : visible(d.file);
}

} // namespace

std::string format(const Diagnostic& d) {
  auto text = place_text(d);
  if (!d.pointer.empty()) text += ": " + in_short(d.pointer, longest_pointer);
  return text + ": " + in_short(d.message, longest_message);
}

InputErrors::InputErrors(std::vector<Diagnostic> found) : diagnostics_(std::move(found)) {
  for (const auto& d : diagnostics_) text_ += gradflight::format(d) + "\n";
}

} // namespace gradflight
