#include "models/units/unit_table.hpp"

#include "base/letters.hpp"
#include "base/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <vector>

namespace gradflight {
namespace {

constexpr double Ki = 1024, Mi = Ki * Ki, Gi = Mi * Ki, Ti = Gi * Ki;
constexpr std::array time_units{Unit{"s", {0, 1}},    Unit{"ms", {-3, 1}},  Unit{"us", {-6, 1}},  Unit{"ns", {-9, 1}},
                                Unit{"min", {0, 60}}, Unit{"h", {0, 3600}}, Unit{"d", {0, 86400}}};
constexpr std::array byte_units{Unit{"B", {0, 1}},    Unit{"KB", {3, 1}},   Unit{"MB", {6, 1}},
                                Unit{"GB", {9, 1}},   Unit{"TB", {12, 1}},  Unit{"KiB", {0, Ki}},
                                Unit{"MiB", {0, Mi}}, Unit{"GiB", {0, Gi}}, Unit{"TiB", {0, Ti}}};
constexpr std::array rate_units{Unit{"B/s", {0, 1}},       Unit{"KB/s", {3, 1}},     Unit{"MB/s", {6, 1}},
                                Unit{"GB/s", {9, 1}},      Unit{"TB/s", {12, 1}},    Unit{"KiB/s", {0, Ki}},
                                Unit{"MiB/s", {0, Mi}},    Unit{"GiB/s", {0, Gi}},   Unit{"TiB/s", {0, Ti}},
                                Unit{"bit/s", {0, 0.125}}, Unit{"Kbps", {3, 0.125}}, Unit{"Mbps", {6, 0.125}},
                                Unit{"Gbps", {9, 0.125}},  Unit{"Tbps", {12, 0.125}}};
constexpr std::array flop_units{Unit{"FLOP", {0, 1}},  Unit{"KFLOP", {3, 1}},  Unit{"MFLOP", {6, 1}},
                                Unit{"GFLOP", {9, 1}}, Unit{"TFLOP", {12, 1}}, Unit{"PFLOP", {15, 1}}};
constexpr std::array flop_rate_units{Unit{"FLOP/s", {0, 1}},  Unit{"KFLOP/s", {3, 1}},  Unit{"MFLOP/s", {6, 1}},
                                     Unit{"GFLOP/s", {9, 1}}, Unit{"TFLOP/s", {12, 1}}, Unit{"PFLOP/s", {15, 1}}};
constexpr std::array per_byte_units{Unit{"s/B", {0, 1}}, Unit{"ms/B", {-3, 1}}, Unit{"us/B", {-6, 1}},
                                    Unit{"ns/B", {-9, 1}}};

/// Each prefix (the first part of a unit's name, with its scale) combines with each ending.
struct Spellings {
  std::span<const Unit> prefixes;
  std::span<const char* const> endings;
  double factor = 1; ///< scale of a unit without a prefix
};

// Keyboards and documents use either the micro sign, U+00B5, or the Greek letter, U+03BC.
constexpr std::array time_prefixes{Unit{"", {0, 1}},    Unit{"m", {-3, 1}},        Unit{"u", {-6, 1}},
                                   Unit{"mu", {-6, 1}}, Unit{"\xC2\xB5", {-6, 1}}, Unit{"\xCE\xBC", {-6, 1}},
                                   Unit{"n", {-9, 1}}};
constexpr std::array micro_prefixes{Unit{"\xC2\xB5", {-6, 1}}, Unit{"\xCE\xBC", {-6, 1}}};
constexpr std::array kilo_prefix{Unit{"k", {3, 1}}};
constexpr std::array size_prefixes{Unit{"", {0, 1}},    Unit{"k", {3, 1}},  Unit{"K", {3, 1}},   Unit{"M", {6, 1}},
                                   Unit{"G", {9, 1}},   Unit{"T", {12, 1}}, Unit{"Ki", {0, Ki}}, Unit{"Mi", {0, Mi}},
                                   Unit{"Gi", {0, Gi}}, Unit{"Ti", {0, Ti}}};
/// "gbps" is common and cannot mean bytes. "gb/s" is not accepted, because it may mean either.
constexpr std::array small_prefixes{Unit{"m", {6, 1}}, Unit{"g", {9, 1}}, Unit{"t", {12, 1}}};

constexpr std::array<const char*, 2> second_endings{"s", "sec"};
constexpr std::array<const char*, 1> byte_endings{"B"};
constexpr std::array<const char*, 7> byte_rate_endings{"B/s", "Bps", "B/sec", "Byte/s", "Bytes/s", "byte/s", "bytes/s"};
constexpr std::array<const char*, 7> bit_rate_endings{"bps", "b/s", "b/sec", "bit/s", "bits/s", "bit/sec", "bits/sec"};
constexpr std::array<const char*, 2> small_bit_rate_endings{"bps", "bit/s"};
constexpr std::array<const char*, 1> per_byte_endings{"s/B"};

constexpr std::array time_spellings{Spellings{time_prefixes, second_endings}};
constexpr std::array byte_spellings{Spellings{kilo_prefix, byte_endings}};
constexpr std::array rate_spellings{Spellings{size_prefixes, byte_rate_endings},
                                    Spellings{size_prefixes, bit_rate_endings, 0.125},
                                    Spellings{small_prefixes, small_bit_rate_endings, 0.125}};
constexpr std::array per_byte_spellings{Spellings{micro_prefixes, per_byte_endings}};

std::span<const Spellings> spellings_of(Dimension dimension) {
  switch (dimension) {
  case Dimension::time: return time_spellings;
  case Dimension::bytes: return byte_spellings;
  case Dimension::byte_rate: return rate_spellings;
  case Dimension::time_per_byte: return per_byte_spellings;
  case Dimension::flops:
  case Dimension::flop_rate: return {};
  }
  throw std::invalid_argument("unknown dimension");
}

enum class Counted { unknown, bits, bytes };

Counted counted_by(std::string_view spelling) {
  const std::string low = lower_case(spelling);
  if (low.find("bit") != std::string::npos) return Counted::bits;
  if (low.find("byte") != std::string::npos) return Counted::bytes;
  const bool small = spelling.find('b') != std::string_view::npos, large = spelling.find('B') != std::string_view::npos;
  // In capitals, "GBPS" may be "Gbps" or "GBps".
  if (small == large || (large && spelling.ends_with("PS"))) return Counted::unknown;
  return small ? Counted::bits : Counted::bytes;
}

/// Returns the unit's own name for a spelling that is wrong only in upper and lower case ("GBit/s"); else an empty
/// string.
std::string name_in_other_letters(std::string_view spelling, Dimension dimension) {
  const std::string low = lower_case(spelling);
  const Counted counted = counted_by(spelling);
  const auto name = [&](std::string_view right) -> std::string {
    if (lower_case(right) != low || counted_by(right) != counted) return "";
    const UnitScale scale = unit_spelt(right, dimension).value();
    for (const Unit& unit : units_of(dimension))
      if (unit.scale.decimal == scale.decimal && unit.scale.factor == scale.factor) return unit.name;
    return std::string(right);
  };
  for (const Unit& unit : units_of(dimension))
    if (std::string found = name(unit.name); !found.empty()) return found;
  for (const Spellings& family : spellings_of(dimension))
    for (const Unit& prefix : family.prefixes)
      for (const char* ending : family.endings)
        if (std::string found = name(std::string(prefix.name) + ending); !found.empty()) return found;
  return "";
}

/// Returns 'G' for "Gbps" and "gbit", and 'B' for "B/s" and "bit/s": whether a unit counts thousands, millions, ...
char size_letter(std::string_view spelling) {
  return spelling.empty() ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(spelling.front())));
}

} // namespace

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
  case Dimension::time: return time_units;
  case Dimension::bytes: return byte_units;
  case Dimension::byte_rate: return rate_units;
  case Dimension::flops: return flop_units;
  case Dimension::flop_rate: return flop_rate_units;
  case Dimension::time_per_byte: return per_byte_units;
  }
  throw std::invalid_argument("unknown dimension");
}

std::optional<UnitScale> unit_spelt(std::string_view spelling, Dimension dimension) {
  for (const Unit& unit : units_of(dimension))
    if (spelling == unit.name) return unit.scale;
  for (const Spellings& family : spellings_of(dimension))
    for (const Unit& prefix : family.prefixes) {
      if (!spelling.starts_with(prefix.name)) continue;
      const std::string_view ending = spelling.substr(std::string_view(prefix.name).size());
      if (std::ranges::find(family.endings, ending) != family.endings.end())
        return UnitScale{prefix.scale.decimal, prefix.scale.factor * family.factor};
    }
  return std::nullopt;
}

std::string unit_pattern(Dimension dimension) {
  std::vector<const char*> names;
  for (const Unit& unit : units_of(dimension)) names.push_back(unit.name);
  std::string pattern = fmt::format("{}", fmt::join(names, "|"));
  for (const Spellings& family : spellings_of(dimension)) {
    std::vector<const char*> prefixes;
    bool bare = false;
    for (const Unit& prefix : family.prefixes) {
      if (*prefix.name == '\0')
        bare = true;
      else
        prefixes.push_back(prefix.name);
    }
    pattern += fmt::format("|({}){}({})", fmt::join(prefixes, "|"), bare ? "?" : "", fmt::join(family.endings, "|"));
  }
  return pattern;
}

std::vector<std::string> unit_names(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& unit : units_of(dimension)) names.emplace_back(unit.name);
  return names;
}

std::string nearest_unit(std::string_view spelling, Dimension dimension) {
  std::vector<std::string> names = unit_names(dimension);
  // "M" is an abbreviated "MB", not a mistyped "B"; "u" is an abbreviated "us", not a mistyped "s".
  const auto begins = [&](const std::string& name) { return name.starts_with(spelling); };
  const bool shortened = std::ranges::any_of(names, begins);
  if (dimension == Dimension::bytes || dimension == Dimension::byte_rate) {
    const Counted counted = counted_by(spelling);
    if (counted != Counted::unknown) {
      if (std::string name = name_in_other_letters(spelling, dimension); !name.empty()) return name;
      constexpr std::string_view letters = "BKMGT";
      const char letter = size_letter(spelling);
      if (letters.find(letter) != std::string_view::npos) // "Gbitps" is not a mistyped "bit/s"
        std::erase_if(names, [&](const std::string& name) { return size_letter(name) != letter; });
    }
    // "10G" cannot be a size in bits, because sizes are always in bytes.
    const bool any =
        counted == Counted::unknown && dimension == Dimension::bytes && spelling.find('b') == std::string_view::npos;
    if (!any)
      std::erase_if(
          names, [&](const std::string& name) { return counted == Counted::unknown || counted_by(name) != counted; });
    else if (shortened)
      std::erase_if(names, std::not_fn(begins));
  } else if (shortened) {
    std::erase_if(names, std::not_fn(begins));
  }
  std::string near = nearest_name(spelling, names);
  // The first letter of a time's unit is its order of magnitude: "ps" and "M" are no mistyped "s".
  if (dimension == Dimension::time && !near.empty() && lower_case(near).front() != lower_case(spelling).front())
    return {};
  // "100GbE" and "100gbit" differ from "Gbps" in most letters, but only this unit of the letter counts bits.
  if (near.empty() && dimension == Dimension::byte_rate && spelling.size() > 1 &&
      size_letter(spelling.substr(1)) == 'B')
    for (const std::string& name : names)
      if (counted_by(name) == counted_by(spelling) && size_letter(name) == size_letter(spelling)) return name;
  return near;
}

} // namespace gradflight
