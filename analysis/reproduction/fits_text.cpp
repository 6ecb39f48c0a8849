#include "analysis/reproduction/fits_text.hpp"

#include "analysis/reproduction/scoreboard.hpp"
#include "analysis/text/human.hpp"
#include "models/percentile.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

std::string parameters_text(const TransferResult& result) {
  std::string text;
  for (const auto& parameter : result.parameters)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", parameter.name, parameter.value);
  return text;
}

constexpr std::size_t few_sets = 5; ///< of fewer, a tenth on either side says nothing

/// "3.9 % (2.8 % to 6.1 %)": the middle set and the two that leave a tenth of the sets outside on either side.
std::string spread_text(const std::vector<double>& values) {
  if (values.size() < few_sets) return human_percent(percentile(values, 0.5));
  return fmt::format("{} ({} to {})", human_percent(percentile(values, 0.5)), human_percent(percentile(values, 0.1)),
                     human_percent(percentile(values, 0.9)));
}

Json spread_json(const std::vector<double>& values) {
  return {{"p10", percentile(values, 0.1)}, {"p50", percentile(values, 0.5)}, {"p90", percentile(values, 0.9)}};
}

} // namespace

std::string stale_text(const Pack& pack) {
  return fmt::format("{} is of another state of the pack or its scenarios: run gradflight calibrate {} --write "
                     "--transfer --cross-validate N again",
                     fits_path(pack), pack.file);
}

std::string transfer_text(const TransferResult& result) {
  auto text = fmt::format("transfer: {}: fitted to {} ({}), {} predicted: median |error| {}, 90th percentile {}",
                          result.name, counted(result.fitted, "figure"), parameters_text(result), result.predicted,
                          human_percent(result.median), human_percent(result.p90));
  if (!result.held.empty()) text += fmt::format("; not fitted to, as in the pack: {}", joined(result.held));
  if (!result.left_out.empty())
    text += fmt::format("; not predicted, because those are fitted to them: {}", joined(result.left_out));
  return text;
}

std::string cross_validation_text(const CrossValidation& result) {
  const auto* shown =
      result.medians.size() < few_sets ? "the middle set" : "the middle set, and the range of eight sets in ten";
  return fmt::format("cross-validation: {} of {} figures out of {} (seed {}), the others predicted: median |error| "
                     "{}, 90th percentile {}: {}",
                     counted(std::ssize(result.medians), "random set"), result.size, result.of, result.seed,
                     spread_text(result.medians), spread_text(result.p90s), shown);
}

Json fits_json(const PackFits& fits, bool stale) {
  Json transfers = Json::array();
  for (const auto& result : fits.transfers) {
    Json parameters;
    for (const auto& parameter : result.parameters) parameters[parameter.name] = parameter.value;
    transfers.push_back({{"name", result.name},
                         {"fitted", result.fitted},
                         {"predicted", result.predicted},
                         {"median_abs_error", result.median},
                         {"p90_abs_error", result.p90},
                         {"parameters", parameters},
                         {"held", result.held},
                         {"left_out", result.left_out}});
  }
  Json json{{"stale", stale}, {"transfer", std::move(transfers)}, {"cross_validation", Json()}};
  if (const auto& cross = fits.cross_validation)
    json["cross_validation"] = {{"sets", cross->medians.size()},
                                {"size", cross->size},
                                {"of", cross->of},
                                {"seed", cross->seed},
                                {"median_abs_error", spread_json(cross->medians)},
                                {"p90_abs_error", spread_json(cross->p90s)}};
  return json;
}

} // namespace gradflight
