#include "scenarios/language/packs/pack_template.hpp"

#include "base/nearest_name.hpp"
#include "scenarios/language/sweeps/sweep_points.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

std::vector<Binding> bindings(const ForKeys& keys) {
  std::vector<Binding> all{{}};
  for (const auto& key : keys) {
    std::vector<Binding> longer;
    for (const auto& binding : all) {
      for (const auto& value : key.values) {
        longer.push_back(binding);
        longer.back().emplace_back(key.key, value.text);
      }
    }
    all = std::move(longer);
  }
  return all;
}

bool uses(const std::string& text, const std::string& key) { return text.find('{' + key + '}') != std::string::npos; }

FilledText filled(const Node& text, const Binding& binding, const std::string& pointer,
                  std::vector<Problem>& problems) {
  FilledText out;
  const auto& written = text.text;
  for (std::size_t at = 0; at < written.size();) {
    if (written[at] != '{') {
      out.text += written[at];
      out.origin.push_back(at++);
      continue;
    }
    const auto end = written.find('}', at);
    const auto key = written.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    const auto found = std::ranges::find(binding, key, [](const auto& bound) { return bound.first; });
    if (end == std::string::npos || found == binding.end()) {
      auto position = first_character(text.position);
      position.column += static_cast<int>(at);
      std::vector<std::string> names;
      for (const auto& bound : binding) names.push_back(bound.first);
      problems.push_back({position, pointer,
                          end == std::string::npos ? "\"{\" without \"}\""
                          : names.empty()          ? fmt::format("{{{}}} has no value: the entry has no \"for\"", key)
                                          : fmt::format("\"for\" has no \"{}\"{}", key, did_you_mean(key, names))});
      break;
    }
    out.text += found->second;
    out.origin.insert(out.origin.end(), found->second.size(), at);
    at = end + 1;
  }
  out.origin.push_back(written.size());
  return out;
}

Position place_in(const Node& text, const FilledText& filled, std::size_t offset) {
  auto position = first_character(text.position);
  position.column += static_cast<int>(filled.origin[std::min(offset, filled.origin.size() - 1)]);
  return position;
}

} // namespace gradflight
