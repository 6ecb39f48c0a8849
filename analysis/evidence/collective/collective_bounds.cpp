#include "analysis/evidence/collective/collective_bounds.hpp"

#include "base/human.hpp"
#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace gradflight {

namespace {

/// Consecutive rows with bounds of the same name.
struct Stretch {
  const CollectiveRow *first = nullptr, *last = nullptr;
  [[nodiscard]] const std::vector<Bound>& bounds() const { return first->bound_by; }
};

std::vector<Stretch> stretches(const std::vector<CollectiveRow>& rows) {
  std::vector<Stretch> found;
  for (const CollectiveRow& row : rows) {
    if (row.bound_by.empty()) continue;
    if (!found.empty() && first_nouns(found.back().bounds()) == first_nouns(row.bound_by))
      found.back().last = &row;
    else
      found.push_back({&row, &row});
  }
  return found;
}

/// Returns the nouns of the first bounds. Latency is only "latency": a library's table has no other latency than that
/// of the library's hops.
std::string noun_of(const std::vector<Bound>& bounds) {
  const std::span<const Bound> first = first_bounds(bounds);
  std::vector<Bound> named(first.begin(), first.end());
  for (Bound& bound : named)
    if (bound.what == Bounding::latency) bound.name = bounding_noun(Bounding::latency);
  return first_nouns(named);
}
std::string noun_of(const Stretch& part) { return noun_of(part.bounds()); }

/// Returns "up to 4 KiB", "of 8 KiB", "from 16 KiB to 1 MiB" or "from 2 MiB on".
std::string sizes_text(const Stretch& part, bool begins, bool ends) {
  const std::string first = size_text(part.first->size_bytes), last = size_text(part.last->size_bytes);
  return begins          ? "up to " + last
         : ends          ? fmt::format("from {} on", first)
         : first == last ? "of " + first
                         : fmt::format("from {} to {}", first, last);
}

/// Returns measured over simulated time; 1 without a measurement.
double ratio(const CollectiveRow& row) { return row.measured_us ? *row.measured_us / row.time_us : 1; }
/// Returns the value of the table's column: a fraction of the measured time.
double difference(const CollectiveRow& row) { return std::abs(row.time_us / row.measured_us.value() - 1); }
double factor(double ratio) { return std::max(ratio, 1 / ratio); }
bool is_divergent(const CollectiveRow& row) { return factor(ratio(row)) > Divergence::noticed; }

/// Returns "From 1 MiB on", "Up to 4 KiB", ... for the measured rows.
std::string range_text(const CollectiveTable& table, const Divergence& divergence) {
  const auto measured = [](const CollectiveRow& row) { return row.measured_us.has_value(); };
  const auto begin = table.rows.begin();
  const bool at_first = std::none_of(begin, begin + static_cast<std::ptrdiff_t>(divergence.first), measured);
  const bool at_last =
      std::none_of(begin + static_cast<std::ptrdiff_t>(divergence.last) + 1, table.rows.end(), measured);
  const std::string first = size_text(table.rows[divergence.first].size_bytes);
  const std::string last = size_text(table.rows[divergence.last].size_bytes);
  if (at_first && at_last) return "At every size";
  if (at_last) return fmt::format("From {} on", first);
  if (at_first) return fmt::format("Up to {}", last);
  return divergence.first == divergence.last ? fmt::format("At {}", first) : fmt::format("From {} to {}", first, last);
}

/// Returns " They are also longer at 2 sizes elsewhere, and shorter at 1 size."; empty if all other times agree.
std::string others_text(const Divergence& divergence) {
  const int alike = divergence.longer ? divergence.others_longer : divergence.others_shorter;
  const int opposite = divergence.longer ? divergence.others_shorter : divergence.others_longer;
  const char *own = divergence.longer ? "longer" : "shorter", *other = divergence.longer ? "shorter" : "longer";
  if (alike == 0 && opposite == 0) return {};
  if (alike == 0) return fmt::format(" They are {} at {} elsewhere.", other, counted(opposite, "size"));
  std::string text = fmt::format(" They are also {} at {} elsewhere", own, counted(alike, "size"));
  if (opposite > 0) text += fmt::format(", and {} at {}", other, counted(opposite, "size"));
  return text + ".";
}

/// Returns the index of a size in MeasuredSpreads::by_size.
std::size_t size_class(std::int64_t bytes) {
  return static_cast<std::size_t>(std::ranges::count_if(spread_ends, [&](auto end) { return bytes >= end; }));
}

std::string class_text(std::size_t which) {
  return which < spread_ends.size() ? "below " + size_text(spread_ends[which])
                                    : fmt::format("from {} on", size_text(spread_ends.back()));
}

} // namespace

std::string size_text(std::int64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  std::int64_t count = bytes;
  for (; count % 1024 == 0 && count > 0 && unit + 1 < units.size(); ++unit) count /= 1024;
  return unit > 0 || bytes < 1024 ? fmt::format("{} {}", count, units[unit]) : human_bytes(static_cast<double>(bytes));
}

std::string bounds_sentence(const CollectiveTable& table) {
  const std::vector<Stretch> parts = stretches(table.rows);
  if (parts.empty()) return {};
  std::vector<std::pair<std::string, std::vector<const Stretch*>>> nouns; // in the order of their first sizes
  for (const Stretch& part : parts) {
    const std::string noun = noun_of(part);
    auto group = std::ranges::find(nouns, noun, &decltype(nouns)::value_type::first);
    if (group == nouns.end()) group = nouns.insert(nouns.end(), {noun, {}});
    group->second.push_back(&part);
  }
  std::vector<std::string> clauses;
  for (std::size_t n = 0; n < nouns.size(); ++n) {
    const auto& [noun, places] = nouns[n];
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Stretch& place = *places[i];
      const bool begins = &place == &parts.front(), ends = &place == &parts.back();
      if (place.first == place.last && !begins && !ends)
        sizes.push_back(size_text(place.first->size_bytes) + (places.size() == 1 ? " alone" : ""));
      else
        sizes.push_back((n == 0 && i == 0 ? "sizes " : "those ") + sizes_text(place, begins, ends));
    }
    clauses.push_back(fmt::format("{} {} {}", noun, first_verb(places.front()->bounds()),
                                  parts.size() == 1 ? "every size" : enumerated(sizes, ", and ")));
  }
  const bool lists = nouns.size() < parts.size();
  return capitalised(lists ? fmt::format("{}", fmt::join(clauses, "; ")) : enumerated(clauses, ", and ")) + ".";
}

std::optional<Divergence> find_divergence(const CollectiveTable& table) {
  std::optional<Divergence> found;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (!is_divergent(table.rows[i])) continue;
    if (const double here = factor(ratio(table.rows[i])); !found || here > found->factor)
      found = {i, i, i, here, ratio(table.rows[i]) > 1, 0, 0};
  }
  if (!found) return found;
  const auto same = [&](std::size_t i) {
    return !table.rows[i].measured_us || (is_divergent(table.rows[i]) && (ratio(table.rows[i]) > 1) == found->longer);
  };
  while (found->first > 0 && same(found->first - 1)) --found->first;
  while (found->last + 1 < table.rows.size() && same(found->last + 1)) ++found->last;
  while (!table.rows[found->first].measured_us) ++found->first;
  while (!table.rows[found->last].measured_us) --found->last;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if ((i < found->first || i > found->last) && is_divergent(table.rows[i]))
      ++(ratio(table.rows[i]) > 1 ? found->others_longer : found->others_shorter);
  return found;
}

std::string apart_sentence(const CollectiveTable& table) {
  const CollectiveRow* furthest = nullptr;
  for (const CollectiveRow& row : table.rows)
    if (row.measured_us && (furthest == nullptr || difference(row) > difference(*furthest))) furthest = &row;
  if (furthest == nullptr) return {};
  const auto divergence = find_divergence(table);
  if (!divergence)
    return fmt::format("Simulated times differ from measured ones by at most {}, at {}.",
                       human_percent(difference(*furthest)), size_text(furthest->size_bytes));
  constexpr double suspicious = 3;
  const CollectiveRow& row = table.rows[divergence->most];
  const bool one_size = divergence->first == divergence->last;
  std::string text =
      fmt::format("{} measured times are {} than simulated ones, by {}a factor of {:.3g}{}.",
                  range_text(table, *divergence), divergence->longer ? "longer" : "shorter", one_size ? "" : "up to ",
                  divergence->factor, one_size ? "" : " at " + size_text(row.size_bytes));
  if (!row.bound_by.empty())
    text += fmt::format(" In the simulation, {} {} this size.", noun_of(row.bound_by), first_verb(row.bound_by));
  text += others_text(*divergence);
  if (divergence->factor > suspicious) text += " Check that the platform describes the machine that was measured.";
  return text;
}

std::vector<std::string> form_sentences(const CollectiveTable& table) {
  constexpr std::size_t most = 3;
  constexpr double rounding = 1e-9;
  struct Failing {
    const Assumption* assumption;
    const CollectiveRow *first, *last;
  };
  std::vector<Failing> failing;
  for (const CollectiveRow& row : table.rows) {
    if (!row.closed_form_us || std::abs(row.time_us - *row.closed_form_us) <= rounding * row.time_us) continue;
    for (const Assumption& assumption : row.form_fails) {
      const auto same =
          std::ranges::find_if(failing, [&](const Failing& f) { return f.assumption->text == assumption.text; });
      if (same == failing.end())
        failing.push_back({&assumption, &row, &row});
      else
        same->last = &row;
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [assumption, first, last] : failing) {
    if (sentences.size() == most) break;
    const bool begins = first == &table.rows.front(), ends = last == &table.rows.back();
    std::string where;
    if (!begins || !ends) where = sizes_text({first, last}, begins, ends);
    if (first == last && !where.empty()) where = "at " + size_text(first->size_bytes);
    std::string text = where.empty() ? "" : where + ", ";
    text += "the closed form differs from the time because an assumption fails: " + assumption->text;
    if (!assumption->detail.empty()) text += " (" + assumption->detail + ")";
    sentences.push_back(capitalised(std::move(text)) + ".");
  }
  return sentences;
}

std::string spread_sentence(const CollectiveTable& table) {
  if (table.spreads == nullptr || table.rows.empty()) return {};
  std::string text;
  for (std::size_t which = 0; which < table.spreads->by_size.size(); ++which) {
    if (std::ranges::none_of(table.rows, [&](const auto& row) { return size_class(row.size_bytes) == which; }))
      continue;
    const MeasuredSpread& spread = table.spreads->by_size[which];
    text +=
        text.empty()
            ? fmt::format("On {} measured machines {}, nine of ten calls took {} to {} times the simulated "
                          "time {}",
                          table.spreads->machines, table.spreads->like, spread.least, spread.most, class_text(which))
            : fmt::format(", {} to {} times {}", spread.least, spread.most, class_text(which));
  }
  text += ".";
  if (std::ranges::find(table.spreads->operations, table.op) == table.spreads->operations.end())
    text += fmt::format(" No {} was among them.", operation_name(table.op));
  return text;
}

std::string seeds_sentence(const CollectiveTable& table) {
  if (table.seeds == 1) return {};
  return fmt::format("Each time is the median over {} seeds of routing by hash. By the 90th percentile, nine of ten "
                     "seeds have ended.",
                     table.seeds);
}

} // namespace gradflight
