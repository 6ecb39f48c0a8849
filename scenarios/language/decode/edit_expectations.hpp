// Changes `expect` in the text of a golden file. All other bytes stay the same, so that a diff shows only changed
// values.
#pragma once

#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/json/edit_text.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct Expectation;

/// The value of `expect` in the file itself, regardless of inherited values.
enum class OwnExpect {
  none,  ///< no such key, or null
  empty, ///< []: requests values
  filled
};

OwnExpect own_expect(const Document& scenario);

/// Returns `text` with `expectations` as the value of `expect`.
///
/// A filled list must contain the same quantities in the same order; only values that differ are replaced. Throws
/// ChangedMeanwhile for another list, or text that is not JSON. An empty or missing list is written with one entry per
/// line, in the indentation and line ends of the file.
std::string with_expectations(const std::string& text, const std::vector<Expectation>& expectations);

/// Returns the shortest JSON number that reads back to the same bits.
std::string number_text(double value);

} // namespace gradflight
