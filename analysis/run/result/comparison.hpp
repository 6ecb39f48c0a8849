// A simulated time beside its closed form: the residual, whose fault it is, and what `check` makes of it.
#pragma once

#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/result/link_groups.hpp"
#include "sim/result/result.hpp"

#include <optional>
#include <string>

namespace gradflight {

/// What two sums of the same terms in different order may differ by (docs/model.md); relative.
inline constexpr double form_tolerance = 1e-9;

enum class Verdict {
  ok,        ///< simulation and form agree within the tolerance
  explained, ///< they differ, and the scenario breaks an assumption of the form
  off,       ///< they differ although every assumption holds: one of the two is wrong
  no_form    ///< there is nothing to compare with
};
const char* verdict_name(Verdict verdict);

struct Comparison {
  Verdict verdict = Verdict::no_form;
  /// (simulated - form) / form. Empty without a form, and where the form says 0 s but the simulation does not.
  std::optional<double> relative_error;
  /// Empty where there is nothing to explain; "unexplained" where every assumption holds. Else the links that messages
  /// shared and the other assumptions that fail, largest first; none that cost nothing.
  std::string cause;
};

/// What of a run is held against the form.
struct Simulated {
  double time = 0;
  Path path{};
  std::vector<Bottleneck> bottlenecks{};
  std::string beyond{}; ///< beyond_text(): said before them
};

Comparison compare(const Simulated& run, const ClosedFormAnswer& answer, double tolerance = form_tolerance);
/// Where no more than the time is known: the cause is all that fails.

Comparison compare(double simulated_s, const ClosedFormAnswer& answer, double tolerance = form_tolerance);

} // namespace gradflight
