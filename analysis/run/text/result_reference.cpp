#include "analysis/run/text/result_reference.hpp"

#include "analysis/run/result/fields/result_fields.hpp"
#include "scenarios/language/describe/describe.hpp"

namespace gradflight {

std::string result_reference() {
  return reference_text(
      result_table().info,
      R"page(# Result reference

This page lists every number that `gradflight run --json` prints and that `result.json` holds. An example:
```console
$ build/gradflight run scenarios/examples/ring.json --json | grep -E '^  "(time_s|iteration_time_s|messages)"'
  "time_s": 0.14889,
  "iteration_time_s": 0.14889,
  "messages": 112,
$ build/gradflight explain iteration_time_s
result.iteration_time_s
  Time of a steady-state step: the time between the last two updates before a pipeline drains. [..]
  value    a number
  unit     s
```
The page is generated from the result's table (`analysis/run/result/fields/result_fields*.cpp`), and a test compares them. The JSON
Schema is [result.schema.json](../scenarios/result.schema.json) (`gradflight schema --result`).

)page"
      "The name of a quantity ends with its unit. The unit `1` is a plain number, and the unit `gradient` is that of "
      "the\n"
      "gradients.\n\n"
      "For several scenarios, `run A.json B.json --json` prints a list with an entry for each input, in their order. "
      "A\n"
      "scenario that is wrong, or fails to simulate, has the entry `{ \"scenario\": NAME, \"error\": WHY }`. The\n"
      "messages on standard error are the same as without `--json`, and the exit code is 2 or 3.\n\n"
      "The **name** of a value is its path, joined by dots: `time_s`, `breakdown.alpha_s`, `data.push.ratio`. "
      "`expect`,\n"
      "packs and the `keep` of a sweep take these names. A number from 0 selects an item of a list\n"
      "(`iterations.3.end_s`). It is the number of the iteration, even if the list leaves out the middle. A link has "
      "its\n"
      "name (`links.node0.up.busy_s`) or its number. `expect` takes numbers only; sweeps also keep texts. A figure of "
      "a\n"
      "pack must not read `closed_form.*`, because a formula is no simulation.\n");
}

} // namespace gradflight
