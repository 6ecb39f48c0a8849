#include "analysis/evidence/calibration/calibration.hpp"

#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace gradflight {

namespace {

struct Loaded {
  const MeasuredCase* measured;
  Experiment experiment;
  bool fitted;
};

/// A median of 0 is below the clock's resolution, so relative errors are undefined.
bool measurable(const MeasuredCase& c) { return c.median() > 0; }

/// Mistakes in --set, the header or a scenario file affect many cases, so they are reported once. A missing file is
/// reported where it is named first.
bool same_mistake(const Diagnostic& a, const Diagnostic& b) {
  const bool same_place = a.line == b.line && a.column == b.column;
  return a.file == b.file && a.pointer == b.pointer && a.message == b.message && (same_place || a.pointer.empty());
}

void add(std::vector<Diagnostic>& errors, const Diagnostic& d) {
  if (std::ranges::none_of(errors, [&](const Diagnostic& e) { return same_mistake(d, e); })) errors.push_back(d);
}

/// Returns mistakes for experiments in fit_to without any cases for a fit.
std::vector<Diagnostic> nothing_to_fit_to(const Measurements& measurements, const CalibrationSettings& settings) {
  const bool by_default = settings.fit_to == CalibrationSettings{}.fit_to; // then sums are optional
  std::vector<std::string> present;
  for (const MeasuredCase& c : measurements.cases)
    if (std::ranges::find(present, c.experiment) == present.end()) present.push_back(c.experiment);
  std::vector<Diagnostic> errors;
  for (const std::string& name : settings.fit_to) {
    const auto named = [&](const MeasuredCase& c) { return c.experiment == name; };
    const auto first = std::ranges::find_if(measurements.cases, named);
    if (by_default && name == "reduce") continue;
    if (first == measurements.cases.end())
      add(errors, {measurements.path, 0, 0, "",
                   fmt::format("the file has no rows of experiment {} to fit to; it has rows of {}", name,
                               fmt::join(present, ", "))});
    else if (std::ranges::none_of(measurements.cases, [&](const MeasuredCase& c) { return named(c) && measurable(c); }))
      add(errors, {measurements.path, first->line, first->columns.experiment, "",
                   fmt::format("the medians of experiment {} are all 0 s, so nothing can be fitted to them", name)});
  }
  return errors;
}

/// Returns all cases, or throws every mistake of all of them.
std::vector<Loaded> load(const Measurements& measurements, const CalibrationSettings& settings) {
  std::vector<Loaded> cases;
  std::vector<Diagnostic> errors = nothing_to_fit_to(measurements, settings);
  for (const MeasuredCase& c : measurements.cases) {
    try {
      const bool fitted = std::ranges::count(settings.fit_to, c.experiment) > 0 && measurable(c);
      cases.push_back({&c, make_experiment(c, settings.sets, measurements.path), fitted});
    } catch (const InputErrors& found) {
      for (const Diagnostic& d : found.diagnostics()) add(errors, d);
    }
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return cases;
}

bool has_protocol(const Loaded* c) { return c->experiment.scenario.platform.protocol.has_value(); }

bool is_reduction(const Loaded& c) { return c.measured->experiment == "reduce"; }

std::vector<double> predict(const std::vector<Loaded*>& cases, int jobs) {
  std::vector<const Experiment*> experiments;
  for (const Loaded* c : cases) experiments.push_back(&c->experiment);
  return simulate_experiments(experiments, jobs);
}

template <class Apply>
std::optional<FitResult> fit_cases(const std::vector<Loaded*>& cases, const std::vector<FitParameter>& parameters,
                                   int jobs, Apply apply) {
  if (cases.empty()) return std::nullopt;
  std::vector<FitTarget> targets;
  for (const Loaded* c : cases) targets.push_back({c->measured->name(), c->measured->median(), 0});
  const auto model = [&](const std::vector<double>& values) {
    for (Loaded* c : cases) apply(c->experiment.scenario.platform, values);
    return predict(cases, jobs);
  };
  FitOptions options;
  options.tolerance = 1e-5; // finer than any measurement
  options.outlier = 0.05;   // medians are reproducible to about 5 %; larger deviations are beyond the model
  return fit(parameters, targets, model, options);
}

std::vector<double> values_of(const FitResult& result) {
  std::vector<double> values;
  for (const FittedParameter& p : result.parameters) values.push_back(p.value);
  return values;
}

void set_transfer(PlatformSpec& platform, const std::vector<double>& values) {
  platform.message_overhead = Seconds(values[0]);
  if (platform.protocol && values.size() > 1) platform.protocol->efficiency = values[1];
}

void set_reduction(PlatformSpec& platform, const std::vector<double>& values) {
  platform.reduce_bandwidth = ByteRate(values[0]);
}

template <class Wanted> std::vector<Loaded*> chosen(std::vector<Loaded>& cases, Wanted wanted) {
  std::vector<Loaded*> some;
  for (Loaded& c : cases)
    if (wanted(c)) some.push_back(&c);
  return some;
}

void compare(Calibration& result, std::vector<Loaded>& cases, const CalibrationSettings& settings) {
  const auto others = chosen(
      cases, [&](const Loaded& c) { return !c.fitted && !is_reduction(c) && c.measured->median() > settings.above; });
  const std::vector<double> simulated = predict(others, settings.jobs);
  const auto switch_announcements = [&] {
    for (Loaded* c : others)
      if (auto& protocol = c->experiment.scenario.platform.protocol)
        protocol->announcements = other(protocol->announcements);
  };
  switch_announcements();
  const std::vector<double> otherwise = predict(others, settings.jobs);
  switch_announcements();
  for (std::size_t i = 0; i < others.size(); ++i) {
    const MeasuredCase& c = *others[i]->measured;
    auto group = std::ranges::find(result.groups, c.algorithm, &ComparedGroup::algorithm);
    if (group == result.groups.end()) group = result.groups.insert(group, {c.algorithm});
    ComparedCase compared{&c, simulated[i], false};
    compared.met = std::abs(compared.relative_error()) <= settings.tolerance;
    if (otherwise[i] != simulated[i]) compared.other_race = otherwise[i];
    group->cases.push_back(compared);
  }
}

} // namespace

std::size_t ComparedGroup::met() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, &ComparedCase::met));
}

Calibration calibrate(const Measurements& measurements, const CalibrationSettings& settings) {
  std::vector<Loaded> cases = load(measurements, settings);
  Calibration result;
  for (const Loaded& c : cases)
    if (c.fitted) result.fitted.push_back(c.measured);

  result.reduction = fit_cases(chosen(cases, [](const Loaded& c) { return c.fitted && is_reduction(c); }),
                               {{"reduce_bandwidth", 1e10, 1e7, 1e13, FitScale::log}}, settings.jobs, set_reduction);
  if (result.reduction)
    for (Loaded& c : cases) set_reduction(c.experiment.scenario.platform, values_of(*result.reduction));
  const auto transfers = chosen(cases, [](const Loaded& c) { return c.fitted && !is_reduction(c); });
  std::vector<FitParameter> alpha_beta = {{"message_overhead", 2e-5, 1e-7, 1e-1, FitScale::log}};
  const bool protocol = std::ranges::any_of(transfers, has_protocol);
  if (protocol) alpha_beta.push_back({"efficiency", 0.95, 0.3, 1, FitScale::linear});
  result.transfer = fit_cases(transfers, alpha_beta, settings.jobs, set_transfer);
  if (result.transfer)
    for (Loaded& c : cases) set_transfer(c.experiment.scenario.platform, values_of(*result.transfer));
  compare(result, cases, settings);

  // A fitted efficiency has no effect on a platform without a protocol.
  const auto largest = std::ranges::max_element(cases, {}, [&](const Loaded& c) {
    return std::tuple(!protocol || has_protocol(&c), c.measured->rate_mbit, c.experiment.scenario.platform.nodes);
  });
  result.platform = largest->experiment.scenario.platform;
  result.platform_case = largest->measured;
  return result;
}

} // namespace gradflight
