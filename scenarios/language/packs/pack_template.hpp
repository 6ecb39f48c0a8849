// Texts of a pack that stand for many: {key} replaced by each value of a "for".
#pragma once

#include "scenarios/language/packs/pack_tables.hpp"

namespace gradflight {

/// A value for each key.
using Binding = std::vector<std::pair<std::string, std::string>>;

/// Every combination, the last key changing fastest; one without keys.
std::vector<Binding> bindings(const ForKeys& keys);

/// A text with its {keys} replaced, and from which character of the original each of its characters comes (one more
/// for the end).
struct FilledText {
  std::string text;
  std::vector<std::size_t> origin;
};

/// Problems go to `problems`, for the text at `pointer`.
FilledText filled(const Node& text, const Binding& binding, const std::string& pointer, std::vector<Problem>& problems);

/// Whether `text` has a {key} of the binding.
bool uses(const std::string& text, const std::string& key);

/// Where a character of a text that has been filled was written.
Position place_in(const Node& text, const FilledText& filled, std::size_t offset);

} // namespace gradflight
