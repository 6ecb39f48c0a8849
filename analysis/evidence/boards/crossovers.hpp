// The sizes at which a library switches between algorithms or protocols: simulated, and visible in measured times.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

namespace gradflight {

/// A switch between two consecutive sizes of a table.
struct Crossover {
  double from_bytes = 0, to_bytes = 0;
  std::string from{}, to{};           ///< simulated: "nccl:tree LL"; measured: empty, because logs do not contain it
  double factor = 1;                  ///< measured: the second time over the first, below 1
  std::optional<double> off_by{};     ///< measured: ratio of the sizes of this and the nearest simulated one (>= 1)
  [[nodiscard]] double bytes() const; ///< the geometric mean of the two sizes
};

struct Crossovers {
  std::vector<Crossover> simulated, measured;
};

/// Finds the crossovers of a table. A measured crossover is where a larger vector takes less time. Every measurement of
/// it must be less than any of the smaller vector, and the median at least 5 % less. The first size of a table is
/// ignored, because benchmarks often start slowly. Only a late switch of the library is visible in this way; a switch
/// at the right size does not reduce the time.
Crossovers crossovers_of(const BoardTable& table);

} // namespace gradflight
