// A golden file's `expect` changed in its own text: everything else stays byte for byte, so that a diff shows nothing
// but the values that moved.
#pragma once

#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/json/edit_text.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct Expectation;

/// What a file says about `expect` itself, whatever it inherits.
enum class OwnExpect {
  none,  ///< no such key, or null
  empty, ///< []: to be filled in
  filled
};

OwnExpect own_expect(const Document& scenario);

/// `text` with `expect` saying `expectations`.
///
/// A filled list must name the same quantities in the same order (else ChangedMeanwhile: another list, or not JSON);
/// its values are replaced where they differ, nothing else is. An empty or missing one is written, an entry a line, in
/// the file's own indentation and line ends.
std::string with_expectations(const std::string& text, const std::vector<Expectation>& expectations);

/// The shortest JSON number that reads back to the same bits.
std::string number_text(double value);

} // namespace gradflight
