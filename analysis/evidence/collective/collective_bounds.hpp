// The bounds of a table's calls by size, and the difference between measured and simulated times: in a log, and on
// machines like the requested one.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Returns "64 KiB": sizes are most often powers of two; other sizes use the usual units of bytes.
std::string size_text(std::int64_t bytes);

/// Returns "Latency bounds sizes up to 64 KiB, and the NICs bound those from 128 KiB on." Empty without rows.
std::string bounds_sentence(const CollectiveTable& table);

/// Consecutive sizes at which measured times are all longer, or all shorter, than simulated ones by more than
/// `noticed`. Of several such ranges, the one with the largest factor.
struct Divergence {
  static constexpr double noticed = 1.25; ///< as a factor
  std::size_t first = 0, last = 0;        ///< indices of rows
  std::size_t most = 0;                   ///< the row with the largest factor
  double factor = 1;                      ///< the factor of that row, >= 1
  bool longer = true;                     ///< whether the measured times are longer
  /// Number of further rows with such a difference: with longer and with shorter measured times.
  int others_longer = 0, others_shorter = 0;
};
/// Returns nothing if measured and simulated times agree.
std::optional<Divergence> find_divergence(const CollectiveTable& table);

/// Returns "From 64 MiB on measured times are longer than simulated ones, by up to a factor of 70.1 at 4 GiB, which the
/// NICs bound." Empty without measurements.
std::string apart_sentence(const CollectiveTable& table);

/// Returns "From 1 MiB on, the closed form differs from the time because an assumption fails: links alike (...)." for
/// each assumption that fails where the two differ, at most three.
std::vector<std::string> form_sentences(const CollectiveTable& table);

/// Returns "On 3 measured machines with a NIC for each GPU, nine of ten calls took 0.94 to 1.84 times the simulated
/// time from 4 MiB on." Includes only sizes of the table. Empty if the table has no spreads or no rows.
std::string spread_sentence(const CollectiveTable& table);
/// Returns what the times stand for if routing by hash was tried with several seeds; else nothing.
std::string seeds_sentence(const CollectiveTable& table);

} // namespace gradflight
