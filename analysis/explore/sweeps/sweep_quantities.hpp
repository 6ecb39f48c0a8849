// The quantities of a result that a sweep keeps, and their columns.
#pragma once

#include "analysis/run/result/fields/result_path.hpp"
#include "analysis/run/result/outcome.hpp"
#include "scenarios/language/sweeps/sweep_points.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// A value of the result, and what its column is called ("breakdown_gamma_s"). The result's own names carry the unit.
struct QuantityColumn {
  ResultPath path; ///< empty: the ids of the assumptions that fail
  std::string name;
};

/// Always first: time_s and the closed form's name, time, relative error, cause (for people) and closed_form_failed
/// (the ids of the assumptions that fail, each behind a ";" but the first), from which `analyze` works. Then what the
/// sweep keeps; where it names nothing the usual times, messages and bytes; then what its formulas need beyond that.
std::vector<QuantityColumn> quantity_columns(const Sweep& sweep);

/// Names of quantities: "time_s", "breakdown.gamma_s", "links.node0.up.busy_s", its column ("breakdown_gamma_s") or
/// JSON pointer ("/links/0/busy_s"). Fits load_sweep.
const QuantityNames& quantity_names();
/// The column of a name with which nothing is wrong.
std::string quantity_column(const std::string& name);

/// A cell for each column; empty where the result has no such value (fewer links, no closed form).
std::vector<Cell> quantity_cells(const Outcome& outcome, const std::vector<QuantityColumn>& columns);

} // namespace gradflight
