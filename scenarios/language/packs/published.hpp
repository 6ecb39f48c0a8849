// Figures printed in papers, for comparison with simulated ones.
#pragma once

#include "scenarios/language/decode/document.hpp"

#include <array>
#include <string>
#include <variant>
#include <vector>

namespace gradflight {

/// A number; a range with both ends included; a true statement (true); or a statement in words.
using PublishedValue = std::variant<double, std::array<double, 2>, bool, std::string>;

struct PublishedFigure {
  std::string id, paper;
  std::string place;    ///< "Table II"
  std::string quantity; ///< a description in words
  std::string unit;     ///< as printed
  PublishedValue value;
  std::string kind;   ///< "time", "throughput", "input", ...
  std::string source; ///< "text": printed in the paper; else its origin
  Node conditions;    ///< the conditions of the measurement, for people
  std::string note;
  std::string duplicate_of; ///< the id of a figure with the same measurement, or the name of a group of figures

  [[nodiscard]] const double* number() const { return std::get_if<double>(&value); }
  [[nodiscard]] bool in_text() const { return source == "text"; }
};

/// Returns "148.71", "[39, 107]", "true", or the words.
std::string value_text(const PublishedValue& value);

/// Throws InputErrors. Ids are unique, and a duplicate refers to an existing figure or group.
std::vector<PublishedFigure> load_published(const std::string& path);
std::vector<PublishedFigure> decode_published(Document& document);

/// For each figure, the indices of the others with the same measurement.
struct Copies {
  std::vector<std::vector<std::size_t>> same;   ///< duplicates of each other, direct or through others; ascending
  std::vector<std::vector<std::size_t>> groups; ///< the figures of the group that the figure summarises
};
Copies copies_of(const std::vector<PublishedFigure>& figures);

} // namespace gradflight
