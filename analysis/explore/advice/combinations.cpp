#include "analysis/explore/advice/combinations.hpp"

#include "analysis/explore/advice/what_ifs_entries.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

bool WhatIf::is_part_of(const WhatIf& other) const {
  if (std::ranges::find(other.parts, change) != other.parts.end()) return true;
  // Their settings do not tell: if NICs alone become faster, one keeps uplinks as they are.
  if (!tiers.empty() && !other.tiers.empty())
    return kind == other.kind && std::ranges::all_of(tiers, [&](LinkTier tier) {
             return std::ranges::find(other.tiers, tier) != other.tiers.end();
           });
  return std::ranges::all_of(set,
                             [&](const auto& one) { return std::ranges::find(other.set, one) != other.set.end(); });
}

namespace {

bool is_set(const std::string& path, const Settings& settings) {
  return std::ranges::find(settings, path, &Settings::value_type::first) != settings.end();
}

/// Whether the path lies within the value of one of the settings.
bool is_within(const std::string& path, const Settings& settings) {
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
    if (is_set(path.substr(0, dot), settings)) return true;
  return false;
}

/// Returns the settings of all parts; empty if two contradict each other.
Settings settings_of(const std::vector<const WhatIf*>& parts) {
  Settings all;
  for (const WhatIf* part : parts)
    for (const auto& setting : part->set) {
      const auto found = std::ranges::find(all, setting.first, &Settings::value_type::first);
      if (found == all.end())
        all.push_back(setting);
      else if (found->second != setting.second)
        return {};
    }
  // Of two such settings, the later one would undo the other, or be refused.
  const bool nested = std::ranges::any_of(all, [&](const auto& one) { return is_within(one.first, all); });
  return nested ? Settings() : all;
}

/// Returns `part` among the what-ifs after another change; null if it does not exist then. It may set the same value
/// under another name: without servers, "NICs of workers and servers" are "NICs".
const WhatIf* same_change(const WhatIf& part, const std::vector<WhatIf>& what_ifs_after) {
  const auto by_name = std::ranges::find(what_ifs_after, part.change, &WhatIf::change);
  if (by_name != what_ifs_after.end()) return &*by_name;
  const auto by_value = std::ranges::find_if(what_ifs_after, [&](const WhatIf& other) {
    return other.kind == part.kind && other.topic == part.topic && !other.set.empty() && !part.set.empty() &&
           other.set.front() == part.set.front();
  });
  return by_value != what_ifs_after.end() ? &*by_value : nullptr;
}

/// Returns the settings of a part, then those of the other parts as they are after it; empty if one does not exist
/// then, or if two contradict each other.
Settings settings_after(const WhatIf& first, const std::vector<const WhatIf*>& parts,
                        const std::vector<WhatIf>& what_ifs_after) {
  std::vector<const WhatIf*> others;
  for (const WhatIf* part : parts) {
    if (part == &first) continue;
    const WhatIf* found = same_change(*part, what_ifs_after);
    if (found == nullptr) return {};
    others.push_back(found);
  }
  const Settings later = settings_of(others);
  if (later.empty()) return {};
  Settings all;
  for (const auto& setting : first.set) {
    if (is_within(setting.first, later)) return {}; // they would undo the first part
    if (!is_set(setting.first, later)) all.push_back(setting);
  }
  all.insert(all.end(), later.begin(), later.end());
  return all; // a path within the first part's list names an entry of that list
}

/// Whether others can be understood as changes of the scenario after this one: of one that is repaired, or trains in
/// another way, perhaps without its servers.
bool can_come_first(const WhatIf& change) {
  return change.topic == repair_topic ||
         std::ranges::any_of(change.set, [](const auto& one) { return one.first.starts_with("training."); });
}

constexpr std::size_t best_topics = 3;

} // namespace

WhatIf together(const std::vector<const WhatIf*>& parts) {
  WhatIf whole{WhatIfKind::together, {}, {}, {}, Fidelity::exact};
  for (const WhatIf* part : parts) {
    whole.change += (whole.change.empty() ? "" : " + ") + part->change;
    whole.topic += part->topic + " ";
    whole.fidelity = std::max(whole.fidelity, part->fidelity);
    whole.parts.push_back(part->change);
  }
  whole.set = settings_of(parts);
  return whole;
}

bool Combinations::is_accepted(const WhatIf& change) const {
  try {
    static_cast<void>(prepare_(change));
    return true;
  } catch (const InputErrors&) {
    return false;
  } catch (const UnbuildablePlatform&) {
    return false;
  }
}

const std::vector<WhatIf>& Combinations::after(const WhatIf& change) {
  const auto [found, is_new] = after_.try_emplace(change.change);
  if (is_new) {
    const Prepared changed = prepare_(change);
    found->second = what_ifs(changed.scenario(), changed.canonical(), best_checkpoint_);
  }
  return found->second;
}

/// Returns the changes combined; without settings if they exclude each other. If two set the same entries, or if one
/// removes what another one names, the others are those of the scenario after one of them.
const WhatIf& Combinations::combined(const std::vector<const WhatIf*>& parts) {
  WhatIf whole = together(parts);
  const auto [known, is_new] = known_.try_emplace(whole.change);
  if (!is_new) return known->second;
  if (!whole.set.empty() && !is_accepted(whole)) whole.set.clear();
  for (const WhatIf* first : parts) {
    if (!whole.set.empty()) break;
    if (!can_come_first(*first)) continue;
    whole.set = settings_after(*first, parts, after(*first));
    if (!whole.set.empty() && !is_accepted(whole)) whole.set.clear();
  }
  return known->second = std::move(whole);
}

/// Returns the best change of each topic, best first, of the wanted kinds. None of them excludes another one or is a
/// part of it.
std::vector<const WhatIf*> Combinations::best_of_topics(const Advice& advice, bool hardware, Fidelity worst) {
  std::vector<const Tried*> wanted;
  for (const Tried& t : advice.tried)
    if ((t.what.kind == WhatIfKind::setting || (hardware && t.what.kind == WhatIfKind::hardware)) &&
        t.what.fidelity <= worst && t.gain > worth_saying)
      wanted.push_back(&t);
  // Of two that gain the same, the one that changes less comes first.
  std::stable_partition(wanted.begin(), wanted.end(),
                        [&](const Tried* t) { return !gains_by_a_part_alone(advice, *t); });
  std::ranges::stable_sort(wanted, [](const Tried* a, const Tried* b) { return a->gain > b->gain; });
  std::vector<const WhatIf*> best;
  for (const Tried* t : wanted) {
    const auto excluded = [&](const WhatIf* other) {
      return other->topic == t->what.topic || other->is_part_of(t->what) || t->what.is_part_of(*other) ||
             combined({other, &t->what}).set.empty();
    };
    if (best.size() < best_topics && std::ranges::none_of(best, excluded)) best.push_back(&t->what);
  }
  return best;
}

void Combinations::add(const std::vector<const WhatIf*>& parts, std::vector<WhatIf>& all) {
  const WhatIf& whole = combined(parts);
  const auto same = [&](const WhatIf& other) { return other.change == whole.change; };
  if (!whole.set.empty() && std::ranges::none_of(all, same)) all.push_back(whole);
}

std::vector<WhatIf> Combinations::best(const Advice& advice) {
  std::vector<WhatIf> all;
  for (const Fidelity worst : {Fidelity::exact, Fidelity::half})
    for (const bool hardware : {false, true}) {
      const std::vector<const WhatIf*> best = best_of_topics(advice, hardware, worst);
      for (std::size_t a = 0; a < best.size(); ++a)
        for (std::size_t b = a + 1; b < best.size(); ++b) add({best[a], best[b]}, all);
      if (best.size() == best_topics) add(best, all);
    }
  if (advice.step.call.empty()) return all;
  // With faster hardware, a library may choose a worse algorithm. Such hardware is also tried with an algorithm of the
  // library's that makes the present choice.
  for (const Tried& kept : advice.tried)
    for (const Tried& faster : advice.tried)
      if (kept.what.topic == "exchange" && kept.step.call == advice.step.call &&
          faster.what.kind == WhatIfKind::hardware && faster.step.call != advice.step.call)
        add({&faster.what, &kept.what}, all);
  return all;
}

void drop_useless_combinations(Advice& advice) {
  std::vector<const Tried*> useless;
  for (const Tried& whole : advice.tried)
    if (whole.what.kind == WhatIfKind::together && gains_by_a_part_alone(advice, whole)) useless.push_back(&whole);
  std::vector<Tried> kept;
  for (Tried& each : advice.tried)
    if (std::ranges::find(useless, &each) == useless.end()) kept.push_back(std::move(each));
  advice.tried = std::move(kept);
}

} // namespace gradflight
