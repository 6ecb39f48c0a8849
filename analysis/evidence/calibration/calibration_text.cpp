#include "analysis/evidence/calibration/calibration_text.hpp"

#include "analysis/run/files/json_text.hpp"
#include "base/human.hpp"
#include "scenarios/language/decode/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight {

namespace {

using Json = nlohmann::ordered_json;

/// Fitted values have three significant digits; more digits would differ between machines.
double rounded(double value) { return rounded_to(value, 3); }

std::string fitted_text(const FittedParameter& p, double value) {
  if (p.name == "message_overhead") return human_seconds(rounded(value));
  if (p.name == "reduce_bandwidth") return human_byte_rate(rounded(value));
  return fmt::format("{:.3f}", value);
}

std::string uncertainty_text(const FittedParameter& p) {
  if (!p.identified) return "not determined by these rows";
  std::string text =
      std::isfinite(p.uncertainty) ? "+- " + fitted_text(p, p.uncertainty) : "uncertainty unknown: too few rows";
  if (p.at_bound) text += ", at its bound";
  return text;
}

std::vector<FittedParameter> parameters_of(const Calibration& calibration) {
  std::vector<FittedParameter> all;
  for (const auto* fitted : {&calibration.transfer, &calibration.reduction})
    if (*fitted) all.insert(all.end(), (*fitted)->parameters.begin(), (*fitted)->parameters.end());
  return all;
}

std::vector<FitResidual> residuals_of(const Calibration& calibration) {
  std::vector<FitResidual> all;
  for (const auto* fitted : {&calibration.transfer, &calibration.reduction})
    if (*fitted) all.insert(all.end(), (*fitted)->residuals.begin(), (*fitted)->residuals.end());
  return all;
}

int evaluations_of(const Calibration& calibration) {
  int all = 0;
  for (const auto* fitted : {&calibration.transfer, &calibration.reduction})
    if (*fitted) all += (*fitted)->evaluations;
  return all;
}

std::string fitted_to(const Calibration& calibration) {
  std::vector<std::pair<std::string, int>> counts;
  for (const MeasuredCase* c : calibration.fitted) {
    const auto found = std::ranges::find(counts, c->experiment, &std::pair<std::string, int>::first);
    if (found == counts.end())
      counts.emplace_back(c->experiment, 1);
    else
      ++found->second;
  }
  std::string text;
  for (const auto& [experiment, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counted(count, "case"), "of " + experiment);
  return text;
}

std::string row(const std::string& name, double measured, double simulated) {
  return fmt::format("  {:<56} {:>10} {:>10} {:>+8.1f} %", name, human_seconds(rounded(measured)),
                     human_seconds(rounded(simulated)), 100 * (simulated / measured - 1));
}

} // namespace

std::string calibration_table(const Measurements& measurements, const Calibration& calibration,
                              const CalibrationSettings& settings) {
  std::string text = fmt::format("{}: {}, {}; medians of the repetitions\nfitted to {}\n", measurements.file,
                                 counted(measurements.rows, "row"), counted(std::ssize(measurements.cases), "case"),
                                 fitted_to(calibration));
  for (const FittedParameter& p : parameters_of(calibration))
    text += fmt::format("  {:<17} {:>12}  {}\n", p.name, fitted_text(p, p.value), uncertainty_text(p));
  text += fmt::format("\n{:<58} {:>10} {:>10} {:>10}\n", "fitted", "measured", "simulated", "error");
  for (const FitResidual& r : residuals_of(calibration)) text += row(r.name, r.measured, r.predicted) + '\n';
  for (const ComparedGroup& group : calibration.groups) {
    text += fmt::format("\n{:<58} {:>10} {:>10} {:>10}\n", group.algorithm + ", predicted", "measured", "simulated",
                        "error");
    for (const ComparedCase& c : group.cases) {
      text += row(c.measured->name(), c.measured->median(), c.simulated);
      if (!c.met) text += "  <";
      if (c.other_race)
        text += fmt::format("  ({} if the other side wins the races)", human_seconds(rounded(*c.other_race)));
      text += '\n';
    }
  }
  text += '\n';
  for (const ComparedGroup& group : calibration.groups)
    text += fmt::format("{}: {} of {} within {}\n", group.algorithm, group.met(),
                        counted(std::ssize(group.cases), "predicted case"), human_percent(settings.tolerance));
  return text;
}

std::string calibration_json(const Measurements& measurements, const Calibration& calibration,
                             const CalibrationSettings& settings) {
  Json out;
  out["measurements"] = {{"file", measurements.file},
                         {"xxh64", measurements.hash},
                         {"rows", measurements.rows},
                         {"cases", measurements.cases.size()}};
  out["parameters"] = Json::array();
  for (const FittedParameter& p : parameters_of(calibration)) {
    const std::string unit = p.name == "message_overhead" ? "_s" : p.name == "reduce_bandwidth" ? "_bytes_per_s" : "";
    out["parameters"].push_back({{"name", p.name},
                                 {"value" + unit, p.value},
                                 {"uncertainty" + unit, std::isfinite(p.uncertainty) ? Json(p.uncertainty) : Json()},
                                 {"identified", p.identified},
                                 {"at_bound", p.at_bound}});
  }
  out["evaluations"] = evaluations_of(calibration);
  out["fitted"] = Json::array();
  for (const FitResidual& r : residuals_of(calibration))
    out["fitted"].push_back({{"case", r.name},
                             {"measured_s", r.measured},
                             {"simulated_s", r.predicted},
                             {"relative_error", r.relative_error()}});
  out["predicted"] = Json::array();
  out["summary"] = Json::object();
  for (const ComparedGroup& group : calibration.groups) {
    for (const ComparedCase& c : group.cases)
      out["predicted"].push_back({{"experiment", c.measured->experiment},
                                  {"rate_mbit", c.measured->rate_mbit},
                                  {"p", c.measured->p},
                                  {"bytes", c.measured->bytes},
                                  {"algorithm", c.measured->algorithm},
                                  {"measured_s", c.measured->median()},
                                  {"simulated_s", c.simulated},
                                  {"relative_error", c.relative_error()},
                                  {"within_tolerance", c.met},
                                  {"other_race_s", c.other_race ? Json(*c.other_race) : Json()}});
    out["summary"][group.algorithm] = {{"predicted", group.cases.size()}, {"within_tolerance", group.met()}};
  }
  out["tolerance"] = settings.tolerance;
  out["above_s"] = settings.above;
  return json_text(out);
}

std::string calibrated_platform(const Measurements& measurements, const Calibration& calibration) {
  PlatformSpec spec = calibration.platform;
  spec.name = "calibrated to " + measurements.file;
  spec.source = fmt::format("gradflight calibrate: {} (XXH64 {}), fitted to {}", measurements.file, measurements.hash,
                            fitted_to(calibration));
  for (const FittedParameter& p : parameters_of(calibration))
    spec.source += fmt::format("; {} {} ({})", p.name, fitted_text(p, p.value), uncertainty_text(p));
  spec.source += "; all else as in " + calibration.platform_case->name();
  return platform_json(spec);
}

} // namespace gradflight
