// What binds the calls of a table, size by size, and how far measured times are from simulated ones: of a log, and of
// machines like the one that was asked for.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

namespace gradflight {

/// "64 KiB": sizes are most often powers of two; others as people write bytes.
std::string size_text(std::int64_t bytes);

/// "Latency bounds sizes up to 64 KiB, and the NICs bound those from 128 KiB on." Empty where there are no rows.
std::string bounds_sentence(const CollectiveTable& table);

/// Sizes that follow one another at which measured times are longer than simulated ones by more than `noticed`, or
/// shorter; of all of these the one with the largest factor.
struct TimesApart {
  static constexpr double noticed = 1.25; ///< a factor
  std::size_t first = 0, last = 0;        ///< rows
  std::size_t most = 0;                   ///< the row with the largest factor
  double factor = 1;                      ///< there, >= 1
  bool longer = true;                     ///< the measured times
  int others = 0;                         ///< rows beside these that are apart
};
/// None where measured and simulated times agree.
std::optional<TimesApart> times_apart(const CollectiveTable& table);

/// "From 64 MiB on measured times are longer than simulated ones, by up to a factor of 70.1 at 4 GiB, which the NICs
/// bound." Empty where nothing was measured.
std::string apart_sentence(const CollectiveTable& table);

/// "On 3 measured machines with a NIC for each GPU, nine of ten calls took 0.94 to 1.84 times the simulated time from
/// 4 MiB on." Only sizes of the table. Empty where the table has no spreads or no rows.
std::string spread_sentence(const CollectiveTable& table);

} // namespace gradflight
