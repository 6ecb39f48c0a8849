// The closed form that predicts a scenario, its terms, and which of its assumptions the scenario meets. No engine.
#pragma once

#include "analysis/run/forms/assumption.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Platform;
struct Scenario;

/// Times in seconds over the whole run. time = compute + alpha + beta + gamma + other, less what overlap hides where
/// the form has overlap (then the terms are those of the critical resource and sum to `time` all the same).
struct FormTerms {
  double time = 0, alpha = 0, beta = 0, gamma = 0;
  double compute = 0; ///< forward, backward, update
  double other = 0;   ///< the scenario's host costs, merges
};

/// A form as a paper prints it, where no schedule meets it exactly (INCEPTIONN's WA): shown beside, never gated on.
struct PaperForm {
  std::string name, source, why; ///< why it is not the gated one
  FormTerms terms;
};

struct ClosedForm {
  std::string name;    ///< "ring_allreduce", "parameter_server", "gtopk", ...
  std::string formula; ///< "2(p-1) alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma"
  std::string source;  ///< paper, section, equation
  FormTerms terms;
  std::vector<Assumption> assumptions;
  std::optional<PaperForm> paper;
  [[nodiscard]] bool all_hold() const;
  [[nodiscard]] std::vector<Assumption> failed() const; ///< those that do not hold, in the form's order
  [[nodiscard]] std::string cause() const;              ///< the same as one sentence; empty where all hold
};

/// Empty where no form exists for the scenario; `why_none` then says "no closed form", and why.
struct ClosedFormAnswer {
  std::optional<ClosedForm> form;
  std::string why_none;
};
ClosedFormAnswer closed_form(const Scenario& scenario, const Platform& platform);

} // namespace gradflight
