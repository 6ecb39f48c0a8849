// Where a library goes over from one algorithm or protocol to another: what is simulated, and what can be seen of it in
// measured times.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

namespace gradflight {

/// Between two sizes of a table that follow each other.
struct Crossover {
  double from_bytes = 0, to_bytes = 0;
  std::string from{}, to{};           ///< simulated: "nccl:tree LL"; measured: empty, logs do not say
  double factor = 1;                  ///< measured: the second time over the first, below 1
  std::optional<double> off_by{};     ///< measured: the nearest simulated one is so many times larger or smaller (>= 1)
  [[nodiscard]] double bytes() const; ///< the middle, in ratios
};

struct Crossovers {
  std::vector<Crossover> simulated, measured;
};

/// A measured one is where a larger vector takes less time: every measurement of it less than any of the smaller one,
/// and the median at least 5 % less. The first size of a table is left out, which benchmarks begin slowly with. A
/// library that goes over late enough to be seen so is told; where it goes over in time, times do not fall, and nothing
/// can be said.
Crossovers crossovers_of(const BoardTable& table);

} // namespace gradflight
