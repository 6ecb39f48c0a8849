// A measured table to hold a simulated one against.
#pragma once

#include "analysis/collective/collective_request.hpp"
#include "analysis/measured/measured_table.hpp"

namespace gradflight {

/// Of all tables of a file the one of this operation among so many ranks; `run` names one of several invocations, empty
/// where there is one. Throws InputErrors: none fits, or several.
MeasuredTable measured_table(const std::vector<MeasuredTable>& tables, const std::string& path, Operation op, int ranks,
                             int nodes, const std::string& run);

/// The sizes of a measured table from `begin` to `end`, in bytes of the whole vector.
std::vector<double> sizes_of(const MeasuredTable& measured, int ranks, double begin, double end);

/// Puts the measured times beside the simulated ones of the same size.
void put_beside(const MeasuredTable& measured, int ranks, CollectiveRow& row);

} // namespace gradflight
