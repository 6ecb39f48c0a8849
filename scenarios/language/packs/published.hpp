// Figures that papers print: what a simulation is held against.
#pragma once

#include "scenarios/language/decode/document.hpp"

#include <array>
#include <string>
#include <variant>
#include <vector>

namespace gradflight {

/// A number; a range of numbers, both ends in it; a statement that holds (true); or a statement in words.
using PublishedValue = std::variant<double, std::array<double, 2>, bool, std::string>;

struct PublishedFigure {
  std::string id, paper;
  std::string place;    ///< "Table II"
  std::string quantity; ///< what it is, in words
  std::string unit;     ///< as printed
  PublishedValue value;
  std::string kind;   ///< "time", "throughput", "input", ...
  std::string source; ///< "text": printed in the paper; else where it comes from
  Node conditions;    ///< under which it was measured, for people
  std::string note;
  std::string duplicate_of; ///< the id of a figure that prints the same measurement, or what a group of ids begins with

  [[nodiscard]] const double* number() const { return std::get_if<double>(&value); }
  [[nodiscard]] bool in_text() const { return source == "text"; }
};

/// "148.71", "[39, 107]", "true", or the words.
std::string value_text(const PublishedValue& value);

/// Throws InputErrors. Ids are unique, and what is a duplicate is one of something.
std::vector<PublishedFigure> load_published(const std::string& path);
std::vector<PublishedFigure> decode_published(Document& document);

/// For each figure the places of the others that print the same measurement.
struct Copies {
  std::vector<std::vector<std::size_t>> same;   ///< duplicates of each other, over any number of steps; ascending
  std::vector<std::vector<std::size_t>> groups; ///< the figures of the group that it sums up
};
Copies copies_of(const std::vector<PublishedFigure>& figures);

} // namespace gradflight
