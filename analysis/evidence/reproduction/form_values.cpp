#include "analysis/evidence/reproduction/form_values.hpp"

#include "analysis/run/forms/closed_form.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace gradflight {
namespace {

std::int64_t iterations_of(const Scenario& scenario) {
  std::int64_t all = 0;
  for (const auto& phase : scenario.phases) all += phase.training.iterations;
  return all;
}

/// Returns the terms of the first `iterations`, which must end in the last phase; 0 iterations give terms of 0.
std::optional<FormTerms> terms_of(const Prepared& run, std::int64_t iterations) {
  if (iterations == 0) return FormTerms{};
  auto scenario = run.scenario();
  auto& last = scenario.phases.back().training.iterations;
  last -= iterations_of(run.scenario()) - iterations;
  if (last < 1) return std::nullopt;
  const auto answer = closed_form(scenario, run.platform());
  return answer.form ? std::optional(answer.form->terms) : std::nullopt;
}

/// Returns the term with this name in a result's breakdown.
std::optional<double> term(const FormTerms& terms, std::string_view name) {
  if (name == "alpha_s") return terms.alpha;
  if (name == "beta_s") return terms.beta;
  if (name == "gamma_s") return terms.gamma;
  if (name == "host_s") return terms.other;
  return std::nullopt;
}

/// Returns 8 for "iterations.7.end_s".
std::optional<std::int64_t> iterations_until(std::string_view quantity) {
  constexpr std::string_view before = "iterations.", after = ".end_s";
  if (!quantity.starts_with(before) || !quantity.ends_with(after)) return std::nullopt;
  const auto number = quantity.substr(before.size(), quantity.size() - before.size() - after.size());
  std::int64_t index = 0;
  const auto end = number.data() + number.size();
  if (std::from_chars(number.data(), end, index).ptr != end) return std::nullopt;
  return index + 1;
}

bool is_host_quantity(std::string_view quantity) {
  constexpr std::array names = {"compute_time_s", "breakdown.update_s", "iteration_breakdown.update_s",
                                "payload_bytes",  "wire_bytes",         "messages"};
  return std::ranges::find(names, quantity) != names.end();
}

std::optional<double> form_value(const Prepared& run, std::string_view quantity) {
  constexpr std::string_view whole = "breakdown.", last = "iteration_breakdown.";
  const auto iterations = iterations_of(run.scenario());
  const auto all = terms_of(run, iterations_until(quantity).value_or(iterations));
  if (!all) return std::nullopt;
  if (quantity == "time_s" || iterations_until(quantity)) return all->time;
  if (quantity.starts_with(whole)) return term(*all, quantity.substr(whole.size()));
  const auto before = terms_of(run, iterations - 1);
  if (!before) return std::nullopt;
  if (quantity == "iteration_time_s") return all->time - before->time;
  if (!quantity.starts_with(last)) return std::nullopt;
  const auto name = quantity.substr(last.size());
  const auto later = term(*all, name), earlier = term(*before, name);
  return later && earlier ? std::optional(*later - *earlier) : std::nullopt;
}

} // namespace

std::optional<double> form_of_figure(const PackFigure& figure, const std::vector<const Prepared*>& runs,
                                     const std::vector<double>& readings) {
  if (!figure.value || figure.published.number() == nullptr) return std::nullopt;
  auto values = readings;
  bool reads_time = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& quantity = figure.value->readings()[k].quantity;
    if (is_host_quantity(quantity)) continue;
    const auto value = form_value(*runs[k], quantity);
    if (!value) return std::nullopt;
    values[k] = *value;
    reads_time = true;
  }
  if (!reads_time) return std::nullopt;
  try {
    const double value = std::get<double>(figure.value->value(values));
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  } catch (const WhereError&) { // a division by a form's 0
    return std::nullopt;
  }
}

} // namespace gradflight
