// Selects a measured table, and adds its times to a simulated one.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"
#include "analysis/evidence/measured/measured_table.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <limits>
#include <optional>

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

/// Selects sizes of a measured table, in bytes of the whole vector.
struct WantedSizes {
  int ranks = 0, element_size = 4;
  double begin = 0, end = std::numeric_limits<double>::infinity();
};

/// Returns the selected sizes, in order. Leaves out sizes that are too small for whole elements, and adds a note that
/// counts them to `notes`. Throws InputErrors if no size is left.
std::vector<double> sizes_of(const MeasuredTable& measured, const WantedSizes& wanted, std::vector<Diagnostic>& notes);

/// Returns a note if the file names another type of GPU than the platform has; nothing if either is unknown.
std::optional<Diagnostic> other_gpu(const MeasuredTable& measured, const PlatformSpec& platform);

/// Adds the measured time of the same size to a simulated row.
void add_measured(const MeasuredTable& measured, int ranks, CollectiveRow& row);

} // namespace gradflight
