// Reads JSON with numbers that are not finite (NaN, inf, -Infinity), as some writers produce it. Each becomes null and
// is counted. A reader that needs a number rejects null.
#pragma once

#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace gradflight {

/// `Text` has at_end(), peek() and advance(), like GzipText.
template <class Text> class FiniteText {
public:
  explicit FiniteText(Text& text) : text_(text) {}

  [[nodiscard]] bool at_end() {
    look();
    return next_ == pending_.size() && text_.at_end();
  }
  [[nodiscard]] char peek() {
    look();
    return next_ < pending_.size() ? pending_[next_] : text_.peek();
  }
  void advance() {
    look();
    if (next_ < pending_.size()) {
      ++next_;
      return;
    }
    const char c = text_.peek();
    if (in_text_)
      in_text_ = escaped_ || c != '"';
    else
      in_text_ = c == '"';
    escaped_ = in_text_ && c == '\\' && !escaped_;
    text_.advance();
    looked_ = false;
  }
  /// Returns how many numbers that are not finite became null.
  [[nodiscard]] std::uint64_t replaced() const { return replaced_; }

private:
  /// Consumes the next word if it may be a number that is not finite.
  void look() {
    if (looked_ || in_text_ || next_ < pending_.size()) return;
    pending_.clear();
    next_ = 0;
    looked_ = true;
    if (text_.at_end()) return;
    const char first = text_.peek();
    if (first != '-' && first != 'n' && first != 'N' && first != 'i' && first != 'I') return;
    constexpr std::size_t longest = 10; // "-Infinity" plus one character, so that longer words do not match
    do {
      pending_ += text_.peek();
      text_.advance();
    } while (pending_.size() < longest && !text_.at_end() &&
             std::isalpha(static_cast<unsigned char>(text_.peek())) != 0);
    const std::string word = lower_case(pending_.starts_with('-') ? std::string_view(pending_).substr(1) : pending_);
    constexpr std::array<std::string_view, 3> not_finite = {"nan", "inf", "infinity"};
    if (std::ranges::find(not_finite, std::string_view(word)) == not_finite.end()) return;
    pending_ = "null";
    ++replaced_;
  }

  Text& text_;
  std::string pending_; ///< consumed from the text but not yet returned
  std::size_t next_ = 0;
  std::uint64_t replaced_ = 0;
  bool in_text_ = false, escaped_ = false, looked_ = false;
};

/// For readers that need a pair of iterators: FiniteCursor(text), and a default-constructed one as the end.
template <class Text> class FiniteCursor {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  FiniteCursor() = default;
  explicit FiniteCursor(FiniteText<Text>& text) : text_(&text) {}
  char operator*() const { return text_->peek(); }
  FiniteCursor& operator++() {
    text_->advance();
    return *this;
  }
  FiniteCursor operator++(int) {
    const FiniteCursor before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const FiniteCursor& a, const FiniteCursor& b) { return a.ended() == b.ended(); }

private:
  [[nodiscard]] bool ended() const { return text_ == nullptr || text_->at_end(); }
  FiniteText<Text>* text_ = nullptr;
};

} // namespace gradflight
