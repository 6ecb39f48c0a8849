#include "analysis/evidence/reproduction/scoreboard_output.hpp"

#include "base/human.hpp"
#include "base/percentile.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
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

constexpr std::size_t few_sets = 5; ///< with fewer sets, percentiles have no meaning

/// Returns "3.9 % (2.8 % to 6.1 %)": the median set, and the 10th and 90th percentiles of the sets.
std::string spread_text(const std::vector<double>& values) {
  if (values.size() < few_sets) return human_percent(percentile(values, 0.5));
  return fmt::format("{} ({} to {})", human_percent(percentile(values, 0.5)), human_percent(percentile(values, 0.1)),
                     human_percent(percentile(values, 0.9)));
}

Json spread_json(const std::vector<double>& values) {
  return {{"p10", percentile(values, 0.1)}, {"p50", percentile(values, 0.5)}, {"p90", percentile(values, 0.9)}};
}

/// Compares the pack's own set with the random ones.
Json own_json(const CrossValidation& sets, const ErrorStatistics& own) {
  if (!own.median) return nullptr;
  return {{"median_abs_error", *own.median},
          {"p90_abs_error", *own.p90},
          {"median_better_than", better_than(*own.median, sets.medians)},
          {"p90_better_than", better_than(*own.p90, sets.p90s)}};
}

} // namespace

ErrorStatistics comparable_errors(const PaperScore& paper) {
  return paper.stale ? ErrorStatistics{} : paper.counts().errors();
}

std::size_t better_than(double own, const std::vector<double>& sets) {
  return static_cast<std::size_t>(std::ranges::count_if(sets, [&](double error) { return own < error; }));
}

std::vector<std::string> fits_text(const PaperScore& paper) {
  std::vector<std::string> said;
  if (!paper.fits) return said;
  if (paper.stale)
    said.push_back(
        fmt::format("{} belongs to another version of the pack or its scenarios: run gradflight calibrate {} "
                    "--write --transfer --cross-validate N again",
                    fits_path(*paper.pack), paper.pack->file));
  for (const auto& result : paper.fits->transfers) said.push_back(transfer_text(result));
  if (const auto& sets = paper.fits->cross_validation)
    said.push_back(cross_validation_text(*sets, comparable_errors(paper)));
  return said;
}

std::string transfer_text(const TransferResult& result) {
  auto text =
      fmt::format("transfer: {}: fitted to {} ({}), {} predicted: {}", result.name, counted(result.fitted, "figure"),
                  parameters_text(result), result.predicted, errors_text(result.median, result.p90));
  if (!result.held.empty())
    text += fmt::format("; as in the pack, because no figure of the fit depends on them: {}", joined(result.held));
  if (!result.left_out.empty())
    text += fmt::format("; not predicted, because other parameters are fitted to them: {}", joined(result.left_out));
  return text;
}

std::string cross_validation_text(const CrossValidation& result, const ErrorStatistics& own) {
  const auto* shown =
      result.medians.size() < few_sets ? "the middle set" : "the middle set, and the range of eight sets in ten";
  auto text = fmt::format("cross-validation: {} of {} out of {} (seed {}), the others predicted: median |error| "
                          "{}, 90th percentile {}: {}",
                          counted(std::ssize(result.medians), "random set"), counted(result.size, "figure"), result.of,
                          result.seed, spread_text(result.medians), spread_text(result.p90s), shown);
  if (own.median)
    text += fmt::format("; the pack's own set: {} and {}, better than {} and {} of the {}", human_percent(*own.median),
                        human_percent(*own.p90), better_than(*own.median, result.medians),
                        better_than(*own.p90, result.p90s), result.medians.size());
  return text;
}

Json fits_json(const PackFits& fits, bool stale, const ErrorStatistics& own) {
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
                                {"p90_abs_error", spread_json(cross->p90s)},
                                {"own", own_json(*cross, own)}};
  return json;
}

} // namespace gradflight
