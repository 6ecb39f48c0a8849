// The field tables of a sweep file (tables_sweep.cpp), and the JSON forms that differ from Sweep.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/sweeps/sweep_formulas.hpp"

namespace gradflight {

/// A sweep as in the file. Its scenario and the paths in it are checked after the table is read.
struct SweepForm {
  std::string name, description;
  Node base;
  std::vector<SweepAxis> axes;
  std::optional<Node> where;
  std::vector<Node> keep;
  std::vector<FormulaForm> columns;
  PointLimits limits;
};

const Table<SweepForm>& sweep_table();
const FileForm& sweep_file();

/// Returns the table whose entry of the catalogue `path` names, as "platform.machine" does; null for other paths.
const TableInfo* catalogue_of(const std::string& path);

/// The axes, and the computed columns.
Value<std::vector<SweepAxis>> axes_value();
Value<std::vector<FormulaForm>> columns_value();

/// The values of one axis in any notation; values from files are already lists here.
Value<std::vector<Node>> axis_value();

} // namespace gradflight
