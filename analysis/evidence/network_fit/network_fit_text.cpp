#include "analysis/evidence/network_fit/network_fit_text.hpp"

#include "analysis/run/files/json_text.hpp"
#include "base/human.hpp"
#include "scenarios/language/decode/canonical.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace gradflight {

namespace {

using Json = nlohmann::ordered_json;

/// Rounds to three digits, like calibrations.
double few_digits(double value) { return rounded_to(value, 3); }

/// Returns the value with as many digits as its uncertainty allows.
std::string value_text(const NetworkNumber& number) {
  return number.parameter.shown(number.value, number.uncertainty.value_or(std::numeric_limits<double>::infinity()));
}

std::string interval_text(const NetworkNumber& number) {
  const NetworkParameter& p = number.parameter;
  const auto [low, high] = *number.interval;
  if (low <= p.lower) return ", 95 % at most " + p.shown(high);
  if (high >= p.upper) return ", 95 % at least " + p.shown(low);
  return fmt::format(", 95 % from {} to {}", p.shown(low, high - low), p.shown(high, high - low));
}

std::string certainty_text(const NetworkNumber& number, bool with_interval) {
  if (!number.determined)
    return number.why.empty() ? "not determined by these rows: stays"
                              : fmt::format("not determined by these rows: stays; {}", number.why);
  std::string text =
      number.uncertainty ? "+- " + number.parameter.shown(*number.uncertainty) : "uncertainty unknown: too few rows";
  if (number.interval && with_interval) text += interval_text(number);
  return number.at_bound ? text + ", at its bound" : text;
}

std::string errors_text(const ErrorStatistics& errors) {
  return fmt::format("median {}, 90th percentile {}", human_percent(errors.median.value()),
                     human_percent(errors.p90.value()));
}

std::string table_text(const ComparedTable& compared) {
  const TimedTable& table = *compared.table;
  std::string text =
      fmt::format("\n{:<58} {:>10} {:>10} {:>10}\n", table.name() + (compared.fitted ? ", fitted" : ", predicted"),
                  "measured", "simulated", "error");
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    text += fmt::format("  {:>12} B  {:<40} {:>10} {:>10} {:>+8.1f} %\n", table.rows[i].size_bytes,
                        compared.rows[i].algorithm, human_seconds(few_digits(table.rows[i].seconds)),
                        human_seconds(few_digits(compared.rows[i].seconds)), 100 * compared.error(i));
  return text;
}

Json row_json(const ComparedTable& compared, std::size_t i, double rate_mbit) {
  const TimedTable& table = *compared.table;
  return {{"experiment", table.operation()},
          {"rate_mbit", json_count(rate_mbit)},
          {"p", table.ranks},
          {"nodes", table.nodes},
          {"bytes", json_count(table.rows[i].size_bytes)},
          {"algorithm", compared.rows[i].algorithm},
          {"measured_s", table.rows[i].seconds},
          {"simulated_s", compared.rows[i].seconds},
          {"relative_error", compared.error(i)},
          {"log", table.file}};
}

Json summary_json(const ErrorStatistics& errors) {
  return {{"rows", errors.count},
          {"median_abs_error", optional_json(errors.median)},
          {"p90_abs_error", optional_json(errors.p90)}};
}

/// Returns the rate among the platform's own parameters; 0 if it has none.
double nominal_mbit(const PlatformSpec& platform, bool between) {
  if (between && platform.node) return platform.node->nic.bandwidth.value() * 8e-6;
  for (const NetworkParameter& p : network_parameters(platform, between, true))
    if (p.dimension == Dimension::byte_rate) return p.start * 8e-6;
  return 0;
}

} // namespace

std::string fitted_to_text(const NetworkFit& fit) {
  std::string text;
  for (const ComparedTable& each : fit.tables)
    if (each.fitted)
      text += fmt::format("{}{}, {} ({})", text.empty() ? "" : "; ", each.table->name(),
                          counted(std::ssize(each.rows), "row"),
                          std::filesystem::path(each.table->file).filename().string());
  return text;
}

std::string fit_with_intervals(const NetworkFit& fit) {
  std::string text = fitted_to_text(fit);
  for (const NetworkNumber& number : fit.numbers)
    if (number.determined || !number.parameter.paths.empty())
      text += fmt::format("; {} {} ({})", number.parameter.name, value_text(number), certainty_text(number, false));
  return text;
}

std::string network_fit_text(const NetworkFit& fit, const TimedSetting& setting) {
  std::string text = fmt::format("{}: fitted to {}\n", setting.platform, fitted_to_text(fit));
  for (const NetworkNumber& number : fit.numbers) {
    const bool host = number.parameter.paths.empty();
    if (host && !number.determined) continue;
    text += fmt::format("  {:<25} {:>10}  {} ({})\n", number.parameter.name, value_text(number),
                        certainty_text(number, true),
                        host ? "a time of the hosts, for which a platform has no key"
                             : "from " + number.parameter.shown(number.parameter.start));
  }
  if (!fit.caution.empty()) text += fmt::format("  {}\n", fit.caution);
  for (const std::string& each : fit.assignments) text += fmt::format("  --set {}\n", each);
  for (const bool fitted : {true, false})
    for (const ComparedTable& each : fit.tables)
      if (each.fitted == fitted) text += table_text(each);
  text += fmt::format("\nfitted: {}, {}\n", counted(static_cast<std::int64_t>(fit.summary(true).count), "row"),
                      errors_text(fit.summary(true)));
  if (const ErrorStatistics predicted = fit.summary(false); predicted.count > 0)
    text += fmt::format("predicted: {}, {}\n", counted(static_cast<std::int64_t>(predicted.count), "row"),
                        errors_text(predicted));
  return text;
}

std::string network_fit_json(const NetworkFit& fit, const TimedSetting& setting,
                             const std::vector<SimulableTable>& tables) {
  Json out;
  out["platform"] = setting.platform;
  out["fitted_to"] = fitted_to_text(fit);
  out["parameters"] = Json::array();
  for (const NetworkNumber& number : fit.numbers) {
    if (number.parameter.paths.empty() && !number.determined) continue;
    const std::string unit = number.parameter.dimension == Dimension::time ? "_s" : "_bytes_per_s";
    out["parameters"].push_back(
        {{"name", number.parameter.name},
         {"paths", number.parameter.paths},
         {"value" + unit, number.value},
         {"uncertainty" + unit, number.uncertainty ? Json(*number.uncertainty) : Json()},
         {"interval" + unit, number.interval ? Json({number.interval->first, number.interval->second}) : Json()},
         {"start" + unit, number.parameter.start},
         {"identified", number.determined},
         {"at_bound", number.at_bound}});
  }
  if (!fit.caution.empty()) out["caution"] = fit.caution;
  out["set"] = fit.assignments;
  out["evaluations"] = fit.evaluations;
  out["fitted"] = Json::array();
  out["predicted"] = Json::array();
  const PlatformSpec platform = platform_of(setting, tables);
  for (const ComparedTable& each : fit.tables)
    for (std::size_t i = 0; i < each.rows.size(); ++i)
      out[each.fitted ? "fitted" : "predicted"].push_back(
          row_json(each, i, nominal_mbit(platform, each.table->nodes > 1)));
  out["summary"] = {{"fitted", summary_json(fit.summary(true))}, {"predicted", summary_json(fit.summary(false))}};
  return json_text(out);
}

std::string fitted_platform(const NetworkFit& fit, const TimedSetting& setting,
                            const std::vector<SimulableTable>& tables) {
  TimedSetting with_fit = setting;
  with_fit.sets.insert(with_fit.sets.end(), fit.assignments.begin(), fit.assignments.end());
  PlatformSpec spec = platform_of(with_fit, tables);
  spec.source = fmt::format("gradflight calibrate: {}, fitted to {}", setting.platform, fit_with_intervals(fit));
  if (!spec.name.empty()) spec.source += "; all else as " + spec.name;
  for (const ComparedTable& each : fit.tables)
    if (each.fitted) spec.name = "calibrated to " + std::filesystem::path(each.table->file).filename().string();
  return platform_json(spec);
}

} // namespace gradflight
