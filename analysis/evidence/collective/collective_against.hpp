// Selects a measured table, and adds its times to a simulated one.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"
#include "analysis/evidence/measured/measured_table.hpp"

namespace gradflight {

/// Selects a table of a file.
struct WantedTable {
  Operation op = Operation::all_reduce;
  int ranks = 0, nodes = 0;
  std::string run{};  ///< one of several invocations; empty: the only one
  std::string type{}; ///< type of elements; empty: any
};

/// Returns the requested table of a file. Throws InputErrors if no table matches, or several do.
MeasuredTable measured_table(const std::vector<MeasuredTable>& tables, const std::string& path,
                             const WantedTable& wanted);

/// Returns the sizes of a measured table from `begin` to `end`, in bytes of the whole vector.
std::vector<double> sizes_of(const MeasuredTable& measured, int ranks, double begin, double end);

/// Adds the measured time of the same size to a simulated row.
void add_measured(const MeasuredTable& measured, int ranks, CollectiveRow& row);

} // namespace gradflight
