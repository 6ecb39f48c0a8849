#include "analysis/result/comparison.hpp"

#include <cmath>

namespace gradflight {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
  case Verdict::ok: return "ok";
  case Verdict::explained: return "explained";
  case Verdict::off: return "off";
  case Verdict::no_form: return "no form";
  }
  return "";
}

Comparison compare(double simulated_s, const ClosedFormAnswer& answer, double tolerance) {
  Comparison result;
  if (!answer.form) return result;
  const double form_s = answer.form->terms.time;
  if (form_s != 0)
    result.relative_error = (simulated_s - form_s) / form_s;
  else if (simulated_s == 0)
    result.relative_error = 0;

  // A NaN on either side compares false: never within.
  if (result.relative_error && std::abs(*result.relative_error) <= tolerance) {
    result.verdict = Verdict::ok;
  } else if (answer.form->all_hold()) {
    result.verdict = Verdict::off;
    result.cause = "unexplained";
  } else {
    result.verdict = Verdict::explained;
    result.cause = answer.form->cause();
  }
  return result;
}

} // namespace gradflight
