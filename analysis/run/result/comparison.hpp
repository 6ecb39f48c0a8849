// Compares a simulated time with its closed form: the residual, its cause, and the verdict for `check`.
#pragma once

#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/result/link_groups.hpp"
#include "sim/result/result.hpp"

#include <optional>
#include <string>

namespace gradflight {

/// The largest difference between two sums of the same terms in different order (docs/model.md); relative.
inline constexpr double form_tolerance = 1e-9;

enum class Verdict {
  ok,        ///< simulation and form agree within the tolerance
  explained, ///< they differ, and the scenario violates an assumption of the form
  off,       ///< they differ although every assumption holds, so one of them is wrong
  no_form    ///< the scenario has no closed form
};
const char* verdict_name(Verdict verdict);

struct Comparison {
  Verdict verdict = Verdict::no_form;
  /// (simulated - form) / form. Empty without a form, and if the form gives 0 s but the simulation does not.
  std::optional<double> relative_error;
  /// Empty without a residual; "unexplained" if every assumption holds. Otherwise the shared links and the other failed
  /// assumptions with a cost, largest first.
  std::string cause;
};

/// The parts of a run that are compared with the form.
struct Simulated {
  double time = 0;
  Path path{};
  std::vector<Bottleneck> bottlenecks{};
  std::string beyond{}; ///< beyond_text(): printed before the names of the links
};

Comparison compare(const Simulated& run, const ClosedFormAnswer& answer, double tolerance = form_tolerance);
/// For a run with only its time: the cause consists of all failed assumptions.

Comparison compare(double simulated_s, const ClosedFormAnswer& answer, double tolerance = form_tolerance);

} // namespace gradflight
