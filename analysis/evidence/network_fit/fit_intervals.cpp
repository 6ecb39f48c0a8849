#include "analysis/evidence/network_fit/fit_intervals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace gradflight {

namespace {

using Parameters = std::vector<const NetworkParameter*>;

/// Returns the quantile of Student's t with 2.5 % above it (Abramowitz & Stegun, table 26.10; 26.7.5 beyond 30).
double student_t(std::size_t freedom) {
  constexpr std::array few = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                              2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                              2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (freedom <= few.size()) return few[std::max<std::size_t>(freedom, 1) - 1];
  constexpr double normal = 1.959964;
  return normal + (normal * normal * normal + normal) / (4 * static_cast<double>(freedom));
}

constexpr double own_accuracy = 1e-6; ///< relative accuracy of a fit to rows without scatter
/// The least rise of the sum of squares that counts, far above the rounding of simulated times.
constexpr double own_square = 1e-18;
/// The share of the predicted rise of the sum of squares that suffices at the end of an interval: slopes change a
/// little over an interval.
constexpr double least_rise = 0.8;

/// Returns the value, within the parameter's range, with times that are longer by `share` of the part that they owe to
/// the parameter; shorter for a negative share. Times are linear in a latency and in the time of a byte.
double moved(const NetworkParameter& parameter, double value, double share) {
  if (parameter.dimension == Dimension::time) return std::clamp(value * (1 + share), parameter.lower, parameter.upper);
  return share > -1 ? std::clamp(value / (1 + share), parameter.lower, parameter.upper) : parameter.upper;
}

FitInterval bounds_within(const NetworkParameter& parameter, double value, double shorter, double longer) {
  const double one = moved(parameter, value, -shorter), other = moved(parameter, value, longer);
  return {std::min({one, other, value}), std::max({one, other, value})};
}

/// Returns the 95 % interval in shares of the value, the same in both directions. Nothing for too few rows.
std::optional<double> share_of(const FittedParameter& found, const FitResult& all) {
  if (!found.identified || !std::isfinite(found.uncertainty)) return std::nullopt;
  const std::size_t freedom = all.residuals.size() - all.parameters.size();
  return (student_t(freedom) * found.uncertainty + found.rounding) / found.value + own_accuracy;
}

/// The end of an interval on one side of a value.
struct End {
  std::size_t number;
  double direction; ///< 1: longer times; -1: shorter ones
  double share;     ///< see moved()
};

/// Moves each end outwards until the sum of squares has risen as much as the slopes at the value predict. Times are
/// not smooth everywhere: below the time that NCCL's own steps take, a link's latency has no effect, and a fit may
/// end at this very point, with a slope on one side only. The rise is compared within two sigma, because far ends of
/// few rows have errors that no longer count by their square.
void extend_flat(std::vector<End>& ends, const Parameters& parameters, const FitResult& found, const LogsAt& logs_at) {
  double least = 0;
  for (const FitResidual& row : found.residuals) least += row.relative_error() * row.relative_error();
  if (ends.empty()) return;
  const std::size_t freedom = found.residuals.size() - parameters.size();
  const double t = student_t(freedom), compared = std::min(t, 2.0);
  // Rows without scatter determine a value if it moves any of them by more than the times are computed exactly.
  const double enough = std::max(least_rise * compared * compared * least / static_cast<double>(freedom), own_square);
  FitPoint value;
  for (const FittedParameter& each : found.parameters) value.push_back(each.value);
  const auto at = [&](const End& end, double share) {
    return moved(*parameters[end.number], value[end.number], end.direction * share);
  };
  std::vector<End*> open;
  for (End& end : ends) open.push_back(&end);
  while (true) {
    // An end at the limit of the parameter's range stays there.
    std::erase_if(open, [&](const End* end) { return at(*end, end->share) == at(*end, 2 * end->share); });
    if (open.empty()) return;
    std::vector<FitPoint> points;
    for (const End* end : open) {
      points.push_back(value);
      points.back()[end->number] = at(*end, end->share * compared / t);
    }
    const auto logs = logs_at(points);
    std::vector<End*> flat;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (sum_of_squares(logs[k]) - least >= enough) continue;
      open[k]->share *= 2;
      flat.push_back(open[k]);
    }
    open = std::move(flat);
  }
}

} // namespace

double sum_of_squares(const FitPoint& errors) {
  return std::inner_product(errors.begin(), errors.end(), errors.begin(), 0.0);
}

std::vector<std::optional<FitInterval>> fit_intervals(const Parameters& parameters, const FitResult& found,
                                                      const LogsAt& logs_at) {
  std::vector<End> ends;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (const auto share = share_of(found.parameters[i], found))
      for (const double direction : {-1.0, 1.0}) ends.push_back({i, direction, *share});
  extend_flat(ends, parameters, found, logs_at);
  std::vector<std::optional<FitInterval>> intervals(parameters.size());
  for (std::size_t k = 0; k < ends.size(); k += 2) {
    const std::size_t number = ends[k].number;
    intervals[number] =
        bounds_within(*parameters[number], found.parameters[number].value, ends[k].share, ends[k + 1].share);
  }
  return intervals;
}

std::string bounds_text(const NetworkParameter& p, const FitInterval& interval) {
  const auto [low, high] = interval;
  const bool open_below = low <= p.lower, open_above = high >= p.upper;
  if (open_below && open_above) return {};
  return "with 95 % it is " + (open_below   ? "at most " + p.shown(high)
                               : open_above ? "at least " + p.shown(low)
                                            : fmt::format("from {} to {}", p.shown(low), p.shown(high)));
}

} // namespace gradflight
