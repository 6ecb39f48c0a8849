// JSON changed in its own text: everything else stays byte for byte, so that a diff shows nothing but what changed.
#pragma once

#include "scenarios/language/json/node.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace gradflight {

/// The text is no longer what it was when it was read.
class ChangedMeanwhile : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The value of a text whose root is an object; throws ChangedMeanwhile where it is none.
Node parse_for_edit(const std::string& text);

/// Where the token begins that the reader saw at `position`; the reader counts characters, and not a byte order mark.
std::size_t offset_of(const std::string& text, const Position& position);

/// The blanks that begin the line of `offset`.
std::string indent_at(const std::string& text, std::size_t offset);

/// A number or text in another's place.
struct ScalarEdit {
  std::string pointer, json;
};
/// Throws ChangedMeanwhile where a pointer names no number or text.
std::string with_scalars(std::string text, const std::vector<ScalarEdit>& edits);

/// Sets a scalar member of the object at `pointer`: in its place, or after the last one, in the way the object is set.
std::string with_scalar_member(std::string text, const std::string& pointer, const std::string& key,
                               const std::string& json);
/// Takes a scalar member out again; `text` as it is where there is none.
std::string without_scalar_member(std::string text, const std::string& pointer, const std::string& key);

} // namespace gradflight
