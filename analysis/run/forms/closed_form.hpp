// The closed form of a scenario, its terms, and the assumptions that the scenario meets. Does not use an engine.
#pragma once

#include "analysis/run/forms/assumption.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Platform;
struct Scenario;

/// Seconds of the whole run. Without overlap, time = compute + alpha + beta + gamma + other. With overlap, the terms
/// are those of the critical resource; they also sum to `time`.
struct FormTerms {
  double time = 0, alpha = 0, beta = 0, gamma = 0;
  double compute = 0; ///< forward, backward, update
  double other = 0;   ///< host costs of the scenario, merges
};

/// A form as printed in a paper, if no schedule meets it exactly (INCEPTIONN's WA). It is shown for comparison, but
/// `check` does not use it.
struct PaperForm {
  std::string name, source, why; ///< `why`: the reason why `check` does not use it
  FormTerms terms;
};

struct ClosedForm {
  std::string name;    ///< "ring_allreduce", "parameter_server", "gtopk", ...
  std::string formula; ///< "2(p-1) alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma"
  std::string source;  ///< paper, section and equation
  FormTerms terms;
  std::vector<Assumption> assumptions;
  std::optional<PaperForm> paper;
  [[nodiscard]] bool all_hold() const;
  [[nodiscard]] std::vector<Assumption> failed() const; ///< assumptions that do not hold, in the form's order
  [[nodiscard]] std::string cause() const;              ///< the failed assumptions as one sentence; empty if all hold
};

/// `form` is empty if the scenario has no form; `why_none` then says "no closed form" with the reason.
struct ClosedFormAnswer {
  std::optional<ClosedForm> form;
  std::string why_none;
};
ClosedFormAnswer closed_form(const Scenario& scenario, const Platform& platform);

} // namespace gradflight
