// Collects problems while a document is decoded, and tracks the JSON pointer of the current value.
#pragma once

#include "scenarios/language/json/sources.hpp"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

class Decoder {
public:
  explicit Decoder(std::vector<Problem>& problems) : problems_(problems) {}

  /// Appends a token to the pointer during its lifetime.
  class Step {
  public:
    Step(Decoder& decoder, std::string_view token) : decoder_(decoder), length_(decoder.pointer_.size()) {
      decoder_.pointer_ += '/';
      decoder_.pointer_ += pointer_token(token);
    }
    ~Step() { decoder_.pointer_.resize(length_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

  private:
    Decoder& decoder_;
    std::size_t length_;
  };
  Step into(std::string_view key) { return {*this, key}; }
  Step into(std::size_t index) { return {*this, fmt::format("{}", index)}; }

  void fail(Position at, std::string message) { problems_.push_back({at, pointer_, std::move(message)}); }
  /// `below`: a JSON pointer relative to the current value.
  void fail_at(Position at, const std::string& below, std::string message) {
    problems_.push_back({at, pointer_ + below, std::move(message)});
  }
  /// Passes over a value that could not be read from its file, which is reported elsewhere.
  void pass_over() { ++passed_over_; }
  /// The number of mistakes so far, with those of values passed over.
  [[nodiscard]] std::size_t count() const { return problems_.size() + passed_over_; }

private:
  std::vector<Problem>& problems_;
  std::string pointer_;
  std::size_t passed_over_ = 0;
};

} // namespace gradflight
