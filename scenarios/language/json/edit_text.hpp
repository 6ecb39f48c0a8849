// Changes JSON in its text. All other bytes stay the same, so that a diff shows only the changes.
#pragma once

#include "scenarios/language/json/node.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace gradflight {

/// The text differs from the text that was read before.
class ChangedMeanwhile : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses a text with an object as its root; throws ChangedMeanwhile if it is not valid.
Node parse_for_edit(const std::string& text);

/// Returns the offset of the token at the reader's `position`. The reader counts characters, and skips a byte order
/// mark.
std::size_t offset_of(const std::string& text, const Position& position);

/// Returns the blanks at the beginning of the line of `offset`.
std::string indent_at(const std::string& text, std::size_t offset);

/// Replaces a number or text.
struct ScalarEdit {
  std::string pointer, json;
};
/// Throws ChangedMeanwhile if a pointer does not name a number or text.
std::string with_scalars(std::string text, const std::vector<ScalarEdit>& edits);

/// Sets a scalar member of the object at `pointer`: replaces its value, or adds it at the end in the layout of the
/// object.
std::string with_scalar_member(std::string text, const std::string& pointer, const std::string& key,
                               const std::string& json);
/// Removes a scalar member; returns `text` unchanged if it does not exist.
std::string without_scalar_member(std::string text, const std::string& pointer, const std::string& key);

} // namespace gradflight
