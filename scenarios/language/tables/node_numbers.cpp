#include "scenarios/language/tables/node_numbers.hpp"

#include "platforms/code/changes.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::vector<int> sorted(std::vector<int> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Parses a node number at the front of `text`, and removes it.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || value < 0 || value >= max_ranks) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return value;
}

} // namespace

std::optional<std::vector<int>> parse_node_numbers(std::string_view text) {
  std::vector<bool> chosen; // overlapping ranges are allowed
  while (true) {
    const auto first = take_number(text);
    if (!first) return std::nullopt;
    auto last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
      if (!last || *last < *first) return std::nullopt;
    }
    if (chosen.size() <= static_cast<std::size_t>(*last)) chosen.resize(static_cast<std::size_t>(*last) + 1);
    std::fill(chosen.begin() + *first, chosen.begin() + *last + 1, true);
    if (text.empty()) break;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  std::vector<int> nodes;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i]) nodes.push_back(static_cast<int>(i));
  return nodes;
}

Value<std::vector<int>> node_numbers() {
  auto one = mapped<std::int64_t, std::vector<int>>(
      integer64(0, max_ranks - 1), [](std::int64_t n) { return std::vector<int>{static_cast<int>(n)}; },
      [](const std::vector<int>& nodes) { return std::int64_t{nodes.front()}; });
  auto several = mapped<std::vector<int>, std::vector<int>>(
      list(integer(0, max_ranks - 1), 1), [](std::vector<int> nodes) { return sorted(std::move(nodes)); },
      [](const std::vector<int>& nodes) { return nodes; });
  Value<std::vector<int>> ranges = {
      text("node numbers such as \"0-3,7\"").shape,
      [](const Node& node, Decoder& decoder) {
        auto nodes = parse_node_numbers(node.text);
        if (!nodes)
          decoder.fail(node.position,
                       fmt::format("{} is not a set of node numbers such as \"0-3,7\"", brief_text(node)));
        return nodes;
      },
      [](const std::vector<int>& nodes) { return Node::of(format_node_numbers(nodes)); }};
  const auto never = [](const std::vector<int>&) { return false; };
  auto not_text = either<std::vector<int>>(one, several, is_number, never);
  return either<std::vector<int>>(ranges, not_text, is_text, [](const std::vector<int>&) { return true; });
}

} // namespace gradflight
