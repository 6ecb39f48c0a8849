#include "analysis/run/text/result_reference.hpp"

#include "analysis/run/result/fields/result_fields.hpp"
#include "scenarios/language/describe/describe.hpp"

namespace gradflight {

std::string result_reference() {
  return reference_text(
      result_table().info,
      "# Result reference\n\n"
      "What `gradflight run --json` prints and `result.json` holds. Generated from the result's table\n"
      "(`analysis/run/result/fields/result_fields*.cpp`); a test compares. The JSON Schema is "
      "[result.schema.json](../scenarios/"
      "result.schema.json) (`gradflight schema --result`).\nA number's name ends with its unit, where it has one; the "
      "unit "
      "`1` is a plain number, and `gradient` that of the gradients.\nThe same, key by key: `gradflight explain "
      "time_s`.\n\n"
      "For several scenarios, `run A.json B.json --json` prints a list with an entry for each input, in their order. "
      "A\n"
      "scenario that is wrong, or fails to simulate, has the entry `{ \"scenario\": NAME, \"error\": WHY }`. The\n"
      "messages on standard error are the same as without `--json`, and the exit code is 2 or 3.\n\n"
      "A value's **name** is its path, joined by dots; `expect`, packs and a sweep's `keep` all take the same ones:\n"
      "`time_s`, `breakdown.alpha_s`, `data.push.ratio`. An item of a list goes by its number from 0\n"
      "(`iterations.3.end_s`: the iteration's, also where the list leaves out the middle), a link by its name\n"
      "(`links.node0.up.busy_s`) or its number. Only numbers can be expected; sweeps keep texts, too. A pack's figure "
      "may not read "
      "`closed_form.*`:\na formula is no simulation.\n");
}

} // namespace gradflight
