#include "base/nearest_name.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gradflight {
namespace {

/// Optimal string alignment distance, row by row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

/// Keeps letters and digits only, in lower case: "Meta-Llama-3-8B" becomes "metallama38b".
std::string folded(std::string_view text) {
  std::string letters = lower_case(text);
  std::erase_if(letters, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return letters;
}

/// Returns the longest candidate with a digit that `name` contains: product names often have extra words around them.
std::string held_name(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t shortest = 4;
  const std::string letters = folded(name);
  std::string best;
  std::size_t length = 0;
  for (const std::string& candidate : candidates) {
    const std::string inner = folded(candidate);
    const bool numbered = std::ranges::any_of(inner, [](char c) { return c >= '0' && c <= '9'; });
    if (inner.size() < shortest || inner.size() <= length || !numbered || letters.find(inner) == std::string::npos)
      continue;
    best = candidate;
    length = inner.size();
  }
  return best;
}

/// Returns the longest candidate that equals a part of `name` between underscores: "step_time" means "step".
std::string part_of_name(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t shortest = 4;
  const std::string words = "_" + lower_case(name) + "_";
  std::string best;
  for (const std::string& candidate : candidates)
    if (candidate.size() >= std::max(shortest, best.size() + 1) &&
        words.find("_" + lower_case(candidate) + "_") != std::string::npos)
      best = candidate;
  return best;
}

} // namespace

std::string same_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (std::ranges::find(candidates, name) != candidates.end()) return std::string(name);
  const std::string wanted = common_spelling(name);
  std::string found;
  for (const std::string& candidate : candidates) {
    if (common_spelling(candidate) != wanted) continue;
    if (!found.empty()) return {};
    found = candidate;
  }
  return found;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 64; // longer names are not typing mistakes; the limit keeps hostile input cheap
  if (name.empty() || name.size() > longest) return {};
  std::string best;
  std::size_t best_distance = 0;
  for (const auto& candidate : candidates) {
    // A difference in case counts less than any different letter.
    const auto distance =
        edit_distance(lower_case(name), lower_case(candidate)) * 2 * longest + edit_distance(name, candidate);
    const auto allowed = std::max<std::size_t>(1, std::max(name.size(), candidate.size()) / 3);
    if (edit_distance(lower_case(name), lower_case(candidate)) > allowed) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (best.empty()) best = held_name(name, candidates);
  return best.empty() ? part_of_name(name, candidates) : best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  return hint_text(nearest_name(name, names), names);
}

std::string hint_text(std::string_view near, const std::vector<std::string>& names) {
  return fmt::format("{} Allowed: {}", near.empty() ? "." : fmt::format("; did you mean \"{}\"?", near),
                     fmt::join(names, ", "));
}

} // namespace gradflight
