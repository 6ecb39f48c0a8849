#include "analysis/explore/answers/scale.hpp"

#include "analysis/explore/advice/what_ifs_entries.hpp"
#include "analysis/run/files/json_text.hpp"
#include "base/human.hpp"
#include "base/usage_error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace gradflight {

bool Scaling::is_below(double efficiency) const {
  constexpr double rounding = 1e-9; // relative
  return efficiency < threshold * (1 - rounding);
}

std::string Scaling::efficiency_text(const ScalePoint& point) const {
  if (!point.efficiency) return "-";
  std::string text;
  for (int digits = 3; digits <= 10; ++digits) {
    text = fmt::format("{:.{}f}", *point.efficiency, digits);
    if (is_below(std::stod(text)) == is_below(*point.efficiency)) break;
  }
  return text;
}

std::optional<int> Scaling::stops_at() const {
  std::optional<int> first;
  for (const ScalePoint& point : points)
    if (point.efficiency && is_below(*point.efficiency)) first = std::min(first.value_or(point.ranks), point.ranks);
  return first;
}

std::string Scaling::conclusion() const {
  if (std::ranges::none_of(points, [](const ScalePoint& p) { return p.efficiency.has_value(); }))
    return "The workload has no compute time, so efficiency is undefined: give it layer times, or a \"step\".";
  const auto other_ranks = [&](const ScalePoint& point) { return point.ranks != points.front().ranks; };
  if (points.size() > 1 && std::ranges::none_of(points, other_ranks))
    return fmt::format("{} does not change the number of ranks, so these points do not say where scaling stops.", path);
  if (const auto stop = stops_at())
    return fmt::format("Scaling stops at {} ranks: the efficiency is below {:g}.", *stop, threshold);
  return fmt::format("All points scale: the efficiency is never below {:g}.", threshold);
}

ScalePoint scale_point(std::string value, const Scenario& scenario, const TrainedStep& step) {
  return {std::move(value),
          scenario.workers(),
          step.mean_time,
          samples_per_second(scenario, step.cost()),
          efficiency(scenario, step.cost()),
          step.bounds,
          step.goodput,
          step.warnings};
}

std::vector<StepWarning> Scaling::warnings() const {
  std::vector<StepWarning> all;
  for (const ScalePoint& point : points) add_warnings(all, point.value, point.warnings);
  return all;
}

std::optional<double> efficiency(const Scenario& scenario, double seconds) {
  const Workload& workload = scenario.workload;
  const double passes = (workload.forward() + workload.backward()) * scenario.phases.back().training.accumulation;
  const double alone = (passes + workload.update) / median_speed(scenario);
  if (!(alone > 0) || !(seconds > 0)) return std::nullopt;
  return alone / seconds;
}

std::optional<Scenario> with_global_batch(Scenario scenario, std::int64_t global) {
  const std::int64_t each = std::int64_t{scenario.workers()} * scenario.phases.back().training.accumulation;
  Workload& workload = scenario.workload;
  if (global % each != 0) return std::nullopt;
  const std::int64_t batch = global / each;
  const double factor = static_cast<double>(batch) / static_cast<double>(workload.batch);
  workload.batch = batch;
  for (Layer& layer : workload.layers) {
    layer.forward *= factor;
    layer.backward *= factor;
  }
  return scenario;
}

void keep_global_batch(std::vector<Prepared>& points, const std::vector<std::string>& names) {
  const Scenario first = points.front().scenario();
  if (first.workload.batch == 0)
    throw UsageError("strong scaling needs workload.batch, the samples of a rank in one step");
  const std::int64_t global = first.workload.batch * first.workers() * first.phases.back().training.accumulation;
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (auto divided = with_global_batch(points[i].scenario(), global))
      points[i] = Prepared(std::move(*divided));
    else
      wrong.push_back(fmt::format("the {} ranks of {}", points[i].scenario().workers(), names[i]));
  if (!wrong.empty())
    throw UsageError(fmt::format("strong scaling: {} samples per step cannot be divided equally among {}", global,
                                 fmt::join(wrong, ", nor among ")));
}

std::string scale_json(const Scaling& scaling) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json object;
  object["path"] = scaling.path;
  object["threshold"] = scaling.threshold;
  object["strong"] = scaling.strong;
  object["points"] = nlohmann::ordered_json::array();
  for (const ScalePoint& point : scaling.points) {
    object["points"].push_back(
        {{"value", point.value},
         {"ranks", point.ranks},
         {"iteration_time_s", point.iteration_time},
         {"samples_per_s", or_null(point.samples_per_second)},
         {"efficiency", or_null(point.efficiency)},
         {"bound_by", point.bounds.empty() ? nlohmann::ordered_json()
                                           : nlohmann::ordered_json(bounding_name(point.bounds.front().what))}});
    if (point.goodput) object["points"].back()["goodput"] = *point.goodput;
  }
  const auto stop = scaling.stops_at();
  object["stops_scaling_at"] = stop ? nlohmann::ordered_json(*stop) : nlohmann::ordered_json();
  for (const StepWarning& warning : scaling.warnings())
    object["warnings"].push_back({{"values", warning.of}, {"text", warning.text}});
  return json_text(object);
}

std::string failures_text(const Scaling& scaling) {
  std::string text;
  for (const ScalePoint& point : scaling.points)
    if (point.goodput)
      text += fmt::format("{}{} with {}", text.empty() ? "" : ", ", human_percent(*point.goodput), point.value);
  return text.empty() ? "" : fmt::format("Samples/s and efficiency count failures. Goodput: {}.", text);
}

std::string scale_text(const Scaling& scaling) {
  std::size_t width = scaling.path.size();
  for (const ScalePoint& point : scaling.points) width = std::max(width, point.value.size());
  std::string text = fmt::format("{:<{}}  {:>7}  {:>12}  {:>12}  {:>10}  {}\n", scaling.path, width, "ranks", "step",
                                 "samples/s", "efficiency", "bound by");
  for (const ScalePoint& point : scaling.points) {
    std::string bound;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, point.bounds.size()); ++i)
      bound += fmt::format("{}{} {}", i > 0 ? ", " : "", point.bounds[i].noun(), human_percent(point.bounds[i].share));
    text += fmt::format("{:<{}}  {:>7}  {:>12}  {:>12}  {:>10}  {}\n", point.value, width, point.ranks,
                        human_seconds(point.iteration_time),
                        point.samples_per_second ? fmt::format("{:.6g}", *point.samples_per_second) : "-",
                        scaling.efficiency_text(point), bound);
  }
  if (const std::string cost = failures_text(scaling); !cost.empty()) text += '\n' + cost + '\n';
  text += '\n' + scaling.conclusion() + '\n';
  for (const StepWarning& warning : scaling.warnings()) text += sentence(warning, scaling.points.size()) + '\n';
  return text;
}

} // namespace gradflight
