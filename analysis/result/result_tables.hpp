// The tables of a result's parts, and what their readers read from. Only the tables themselves need this.
#pragma once

#include "analysis/result/outcome.hpp"
#include "analysis/result/result_table.hpp"

namespace gradflight {

/// A closed form beside the run that it is compared with.
struct RunForm {
  const ClosedForm& form;
  const Outcome& outcome;
};

const ResultTable<Path>& breakdown_table();
const ResultTable<DataResult>& data_table();
const ResultTable<RunForm>& closed_form_table();

} // namespace gradflight
