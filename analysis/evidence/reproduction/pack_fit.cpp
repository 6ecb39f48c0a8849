#include "analysis/evidence/reproduction/pack_fit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::vector<double> absolute(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  return errors;
}

} // namespace

PackFitter::PackFitter(const CheckedPack& checked, Simulations& simulations)
    : checked_(checked), pack_(checked.pack), simulations_(simulations) {}

std::vector<double> PackFitter::written() const {
  std::vector<double> values;
  for (const auto& parameter : pack_.parameters) values.push_back(parameter.value);
  return values;
}

std::string PackFitter::key(std::size_t experiment, const std::vector<double>& values) const {
  auto text = fmt::format("{}", experiment);
  for (std::size_t p = 0; p < values.size(); ++p)
    if (moves_[p][experiment]) text += fmt::format(" {:a}", values[p]);
  return text;
}

std::vector<double> PackFitter::simulated(const std::vector<std::size_t>& figures, const std::vector<double>& values) {
  return simulated({{figures, values}}).front();
}

std::vector<std::vector<double>> PackFitter::simulated(const std::vector<PackPoint>& points) {
  find_dependencies();
  std::vector<LazyRun> wanted;
  for (const auto& point : points) {
    auto quantities = quantities_of(pack_, point.figures);
    for (std::size_t e = 0; e < quantities.size(); ++e)
      if (!quantities[e].empty())
        wanted.push_back({key(e, point.values), pack_.experiments[e].name, std::move(quantities[e]), [&, e] {
                            return prepare_unnamed(pack_.experiments[e].scenario, changes_of(pack_, e, {point.values}));
                          }});
  }
  simulations_.run(wanted);
  std::vector<std::vector<double>> all;
  for (const auto& point : points) {
    auto& found = all.emplace_back();
    const auto reading = [&](std::size_t experiment, const std::string& quantity) {
      return simulations_.value(key(experiment, point.values), quantity);
    };
    for (const auto& score : scores(pack_, point.figures, reading)) found.push_back(score.simulated.value());
  }
  return all;
}

std::vector<double> PackFitter::errors(const std::vector<std::size_t>& figures, const std::vector<double>& values) {
  auto result = simulated(figures, values);
  for (std::size_t i = 0; i < figures.size(); ++i)
    result[i] = result[i] / *pack_.figures[figures[i]].published.number() - 1;
  return result;
}

FitResult PackFitter::fit(const std::vector<std::size_t>& parameters, const std::vector<std::size_t>& figures,
                          std::vector<double>& values, const FitOptions& options) {
  return run(fit_parameters(parameters), parameters, figures, 0, values, options);
}

std::vector<FittedParameter> PackFitter::uncertainties(const PackFit& fit, const std::vector<double>& values,
                                                       double sigma) {
  auto start = fit_parameters(fit.parameters);
  for (std::size_t i = 0; i < start.size(); ++i) start[i].start = values[fit.parameters[i]];
  auto unchanged = values;
  return run(start, fit.parameters, fit.figures, sigma, unchanged, {.max_evaluations = 1}).parameters;
}

ErrorStatistics PackFitter::own_errors(const std::vector<double>& values) {
  std::vector<std::size_t> predicted;
  for (std::size_t i = 0; i < pack_.figures.size(); ++i)
    if (pack_.figures[i].role == FigureRole::predicted) predicted.push_back(i);
  return statistics_of(absolute(errors(predicted, values)));
}

double PackFitter::scatter(const std::vector<double>& values) { return 1.4826 * own_errors(values).median.value_or(0); }

std::vector<FitParameter> PackFitter::fit_parameters(const std::vector<std::size_t>& parameters) const {
  std::vector<FitParameter> fitted;
  for (const auto index : parameters) {
    const auto& p = pack_.parameters[index];
    const double middle = p.logarithmic ? std::sqrt(p.low * p.high) : (p.low + p.high) / 2;
    fitted.push_back({p.name, middle, p.low, p.high, p.logarithmic ? FitScale::log : FitScale::linear});
  }
  return fitted;
}

std::vector<FitTarget> PackFitter::fit_targets(const std::vector<std::size_t>& figures, double sigma) const {
  std::vector<FitTarget> targets;
  for (const auto index : figures)
    targets.push_back({pack_.figures[index].published.id, *pack_.figures[index].published.number(), sigma});
  return targets;
}

FitResult PackFitter::run(const std::vector<FitParameter>& start, const std::vector<std::size_t>& parameters,
                          const std::vector<std::size_t>& figures, double sigma, std::vector<double>& values,
                          const FitOptions& options) {
  const auto model = [&](const std::vector<double>& candidate) {
    for (std::size_t i = 0; i < parameters.size(); ++i) values[parameters[i]] = candidate[i];
    return simulated(figures, values);
  };
  auto result = gradflight::fit(start, fit_targets(figures, sigma), model, options);
  for (std::size_t i = 0; i < parameters.size(); ++i) values[parameters[i]] = result.parameters[i].value;
  return result;
}

void PackFitter::find_dependencies() {
  if (!moves_.empty()) return;
  const auto figures = all_figures(pack_);
  for (std::size_t p = 0; p < pack_.parameters.size(); ++p) {
    const auto& parameter = pack_.parameters[p];
    auto values = written();
    values[p] = values[p] == parameter.low ? parameter.high : parameter.low;
    auto& row = moves_.emplace_back(pack_.experiments.size());
    for (const auto& run : wanted_runs(pack_, figures, {values}))
      row[run.experiment] = run.prepared.id() != checked_.experiments[run.experiment].prepared.id();
  }
}

bool PackFitter::depends(std::size_t figure, std::size_t parameter) {
  find_dependencies();
  const auto& experiments = pack_.figures[figure].experiments;
  return std::ranges::any_of(experiments, [&](std::size_t e) { return moves_[parameter][e]; });
}

} // namespace gradflight
