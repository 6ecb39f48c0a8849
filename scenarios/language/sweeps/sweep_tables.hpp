// The field tables of a sweep file (tables_sweep.cpp), and the forms that JSON has but Sweep has not.
#pragma once

#include "scenarios/language/fields/table.hpp"
#include "scenarios/language/sweeps/sweep_formulas.hpp"

namespace gradflight {

/// A sweep as written: its scenario and the places in it are looked at when the table has been read.
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

/// The axes, and the columns that are worked out.
Value<std::vector<SweepAxis>> axes_value();
Value<std::vector<FormulaForm>> columns_value();

/// The values of one axis however they are given, files aside (those are lists by now).
Value<std::vector<Node>> axis_value();

} // namespace gradflight
