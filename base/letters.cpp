#include "base/letters.hpp"

namespace gradflight {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string capitalised(std::string text) {
  const auto is_capital = [&](std::size_t at) { return at < text.size() && text[at] >= 'A' && text[at] <= 'Z'; };
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z' && !is_capital(1)) // not xGMI
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string common_spelling(std::string_view name) {
  std::string letters = lower_case(name);
  std::erase_if(letters, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return letters;
}

std::string enumerated(const std::vector<std::string>& items, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? last : ", ";
    text += items[i];
  }
  return text;
}

} // namespace gradflight
