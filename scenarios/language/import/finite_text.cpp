#include "scenarios/language/import/finite_text.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gradflight {

void FiniteText::look() {
  if (looked_ || in_text_ || next_ < pending_.size()) return;
  pending_.clear();
  next_ = 0;
  looked_ = true;
  if (text_.at_end()) return;
  const char first = text_.peek();
  if (first != '-' && first != 'n' && first != 'N' && first != 'i' && first != 'I') return;
  constexpr std::size_t longest = 10; // "-Infinity" and one more, so that a longer word is none
  do {
    pending_ += text_.peek();
    text_.advance();
  } while (pending_.size() < longest && !text_.at_end() && std::isalpha(static_cast<unsigned char>(text_.peek())) != 0);
  const std::string word = lower_case(pending_.starts_with('-') ? std::string_view(pending_).substr(1) : pending_);
  constexpr std::array<std::string_view, 3> not_finite = {"nan", "inf", "infinity"};
  if (std::ranges::find(not_finite, std::string_view(word)) == not_finite.end()) return;
  pending_ = "null";
  ++replaced_;
}

} // namespace gradflight
