// Combinations of what-ifs.
#include "analysis/explore/answers/what_ifs.hpp"
#include "analysis/explore/answers/what_ifs_entries.hpp"

#include <algorithm>

namespace gradflight {

bool WhatIf::is_part_of(const WhatIf& other) const {
  if (std::ranges::find(other.parts, change) != other.parts.end()) return true;
  return std::ranges::all_of(set,
                             [&](const auto& one) { return std::ranges::find(other.set, one) != other.set.end(); });
}

namespace {

/// Whether one setting's path lies within another's value: the later one would undo the other, or be refused.
bool are_nested(const Settings& settings) {
  const auto is_set = [&](const std::string& path) {
    return std::ranges::find(settings, path, &Settings::value_type::first) != settings.end();
  };
  for (const auto& [path, value] : settings)
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
      if (is_set(path.substr(0, dot))) return true;
  return false;
}

/// Returns the settings of all parts; empty if two contradict each other.
Settings all_settings(const std::vector<const WhatIf*>& parts) {
  Settings all;
  for (const WhatIf* part : parts)
    for (const auto& setting : part->set) {
      const auto found = std::ranges::find(all, setting.first, &Settings::value_type::first);
      if (found == all.end())
        all.push_back(setting);
      else if (found->second != setting.second)
        return {};
    }
  return are_nested(all) ? Settings() : all;
}

/// Returns the settings of a repair, then those of the other parts as they are after it; empty if a part does not exist
/// then, or if two contradict each other.
Settings settings_after(const WhatIf& repair, const std::vector<const WhatIf*>& parts, const WhatIfsAfter& after) {
  const std::vector<WhatIf> repaired = after(repair);
  std::vector<const WhatIf*> others;
  for (const WhatIf* part : parts) {
    if (part == &repair) continue;
    const auto found = std::ranges::find(repaired, part->change, &WhatIf::change);
    if (found == repaired.end()) return {};
    others.push_back(&*found);
  }
  const Settings later = all_settings(others);
  if (later.empty()) return {};
  Settings all;
  for (const auto& setting : repair.set)
    if (std::ranges::find(later, setting.first, &Settings::value_type::first) == later.end()) all.push_back(setting);
  all.insert(all.end(), later.begin(), later.end());
  return all; // a path within the repaired list names an entry of that list
}

} // namespace

WhatIf together(const std::vector<const WhatIf*>& parts, const WhatIfsAfter& after) {
  WhatIf whole{WhatIfKind::together, {}, {}, {}, Fidelity::exact};
  for (const WhatIf* part : parts) {
    whole.change += (whole.change.empty() ? "" : " + ") + part->change;
    whole.topic += part->topic + " ";
    whole.fidelity = std::max(whole.fidelity, part->fidelity);
    whole.parts.push_back(part->change);
  }
  whole.set = all_settings(parts);
  const auto repair = std::ranges::find(parts, repair_topic, &WhatIf::topic);
  if (whole.set.empty() && after && repair != parts.end()) whole.set = settings_after(**repair, parts, after);
  return whole;
}

} // namespace gradflight
