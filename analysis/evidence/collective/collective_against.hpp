// A measured table to hold a simulated one against.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"
#include "analysis/evidence/measured/measured_table.hpp"

namespace gradflight {

/// Which table of a file is wanted.
struct WantedTable {
  Operation op = Operation::all_reduce;
  int ranks = 0, nodes = 0;
  std::string run{};  ///< one of several invocations; empty: there is one
  std::string type{}; ///< of elements; empty: whichever there is
};

/// The table of a file that is wanted. Throws InputErrors: none fits, or several.
MeasuredTable measured_table(const std::vector<MeasuredTable>& tables, const std::string& path,
                             const WantedTable& wanted);

/// The sizes of a measured table from `begin` to `end`, in bytes of the whole vector.
std::vector<double> sizes_of(const MeasuredTable& measured, int ranks, double begin, double end);

/// Puts the measured times beside the simulated ones of the same size.
void add_measured(const MeasuredTable& measured, int ranks, CollectiveRow& row);

} // namespace gradflight
