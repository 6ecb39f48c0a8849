// The quantities of a result that a sweep keeps, and their columns.
#pragma once

#include "analysis/run/result/fields/result_path.hpp"
#include "analysis/run/result/outcome.hpp"
#include "scenarios/language/sweeps/sweep_points.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// A value of the result, and its column's name ("breakdown_gamma_s"). The result's own names contain the unit.
struct QuantityColumn {
  ResultPath path; ///< empty: the ids of failed assumptions
  std::string name;
};

/// Always first: time_s and the closed form's name, time, relative error, cause (as text) and closed_form_failed (the
/// ids of failed assumptions, separated by ";"), which `analyze` uses. Then the quantities that the sweep keeps; if it
/// names none, the usual times, messages and bytes. Then further quantities that its formulas need.
std::vector<QuantityColumn> quantity_columns(const Sweep& sweep);

/// Names of quantities: "time_s", "breakdown.gamma_s", "links.node0.up.busy_s", its column ("breakdown_gamma_s") or
/// JSON pointer ("/links/0/busy_s"). For load_sweep.
const QuantityNames& quantity_names();
/// Returns the column of a valid name.
std::string quantity_column(const std::string& name);

/// A cell for each column; empty if the result has no such value (fewer links, no closed form).
std::vector<Cell> quantity_cells(const Outcome& outcome, const std::vector<QuantityColumn>& columns);

} // namespace gradflight
