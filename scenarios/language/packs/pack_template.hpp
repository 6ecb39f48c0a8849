// Templates in a pack: {key} in a text is replaced by each value of a "for".
#pragma once

#include "scenarios/language/packs/pack_tables.hpp"

namespace gradflight {

/// A value for each key.
using Binding = std::vector<std::pair<std::string, std::string>>;

/// Returns every combination; the last key changes fastest. Without keys, returns one empty combination.
std::vector<Binding> bindings(const ForKeys& keys);

/// A text with its {keys} replaced. `origin` gives the original offset of each character, and one more entry for the
/// end.
struct FilledText {
  std::string text;
  std::vector<std::size_t> origin;
};

/// Adds problems to `problems`, for the text at `pointer`.
FilledText filled(const Node& text, const Binding& binding, const std::string& pointer, std::vector<Problem>& problems);

/// Whether `text` contains {key}.
bool uses(const std::string& text, const std::string& key);

/// Returns the original position of a character in a filled text.
Position place_in(const Node& text, const FilledText& filled, std::size_t offset);

} // namespace gradflight
