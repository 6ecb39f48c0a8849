// Positions and labels of ticks.
#include "analysis/run/pages/plot.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::vector<double> decade_ticks(double low, double high, int most) {
  const int first = static_cast<int>(std::floor(std::log10(low))), last = static_cast<int>(std::ceil(std::log10(high)));
  constexpr double slack = 1e-9;
  for (const std::vector<double>& steps : {std::vector<double>{1, 2, 5}, {1, 3}, {1}})
    for (const int each : {1, 2, 3, 6, 12}) {
      std::vector<double> ticks;
      for (int decade = first; decade <= last; decade += 1)
        for (const double step : steps) {
          const double at = step * std::pow(10, decade);
          if ((decade - first) % each == 0 && at >= low * (1 - slack) && at <= high * (1 + slack)) ticks.push_back(at);
        }
      if (static_cast<int>(ticks.size()) <= most && ticks.size() >= 2) return ticks;
      if (steps.size() > 1) break; // use fewer steps per decade before fewer decades
    }
  return {};
}

} // namespace

std::vector<double> plot_ticks(double low, double high, bool logarithmic, int most) {
  if (logarithmic)
    if (auto ticks = decade_ticks(low, high, most); ticks.size() >= 2) return ticks;
  const double span = high - low;
  if (!(span > 0)) return {low};
  double step = std::pow(10, std::floor(std::log10(span / most)));
  double finer = step;
  for (const double factor : {2.0, 2.5, 2.0}) { // 1, 2, 5, 10
    if (span / step <= most) break;
    finer = step;
    step *= factor;
  }
  const auto multiples = [&](double unit) {
    std::vector<double> ticks;
    for (double i = std::ceil(low / unit - 1e-9); i * unit <= high + 1e-9 * span; ++i)
      if (!logarithmic || i > 0) ticks.push_back(i == 0 ? 0 : i * unit);
    return ticks;
  };
  auto ticks = multiples(step);
  return ticks.size() < 2 ? multiples(finer) : ticks; // a single tick shows no scale
}

std::string plot_value(double value, PlotUnit unit) {
  switch (unit) {
  case PlotUnit::seconds: return human_seconds(value);
  case PlotUnit::bytes: return human_bytes(value);
  case PlotUnit::rate: return human_rate(value);
  case PlotUnit::percent: return fmt::format("{:.3g} %", 100 * value + 0.0);
  case PlotUnit::number: break;
  }
  const double size = std::abs(value);
  constexpr std::array<std::pair<double, const char*>, 3> factors = {{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}}};
  for (const auto& [factor, name] : factors)
    if (size >= 10 * factor) return fmt::format("{:.4g}{}", value / factor, name);
  return fmt::format("{:.6g}", value);
}

} // namespace gradflight
