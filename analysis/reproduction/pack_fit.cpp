#include "analysis/reproduction/pack_fit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <set>

namespace gradflight {
namespace {

/// Of a part of the figures: a thousandth of the bounds' stretch moves no error by as much as a tenth of a percent.
constexpr FitOptions partial_fit{.max_evaluations = 300, .tolerance = 1e-4};

std::vector<double> absolute(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  return errors;
}

std::vector<std::size_t> scored_figures(const Pack& pack) {
  std::vector<std::size_t> figures;
  for (std::size_t i = 0; i < pack.figures.size(); ++i)
    if (pack.figures[i].scored()) figures.push_back(i);
  return figures;
}

std::size_t fitted_count(const Pack& pack) {
  return static_cast<std::size_t>(
      std::ranges::count(pack.figures, FigureRole::fitted, [](const PackFigure& figure) { return figure.role; }));
}

/// `size` of `all`, drawn without repetition; std::sample may differ between libraries, this does not.
std::vector<std::size_t> draw(std::vector<std::size_t> all, std::size_t size, std::mt19937_64& random) {
  for (std::size_t i = 0; i < size; ++i) std::swap(all[i], all[i + random() % (all.size() - i)]);
  all.resize(size);
  std::ranges::sort(all);
  return all;
}

} // namespace

PackFitter::PackFitter(const CheckedPack& checked, Simulations& simulations)
    : checked_(checked), pack_(checked.pack), simulations_(simulations) {}

std::vector<double> PackFitter::written() const {
  std::vector<double> values;
  for (const auto& parameter : pack_.parameters) values.push_back(parameter.value);
  return values;
}

std::vector<double> PackFitter::simulated(const std::vector<std::size_t>& figures, const std::vector<double>& values) {
  const auto wanted = wanted_runs(pack_, figures, values);
  std::vector<const WantedRun*> runs;
  std::vector<const WantedRun*> of_experiment(pack_.experiments.size());
  for (const auto& run : wanted) {
    runs.push_back(&run);
    of_experiment[run.experiment] = &run;
  }
  simulations_.run(runs);
  std::vector<double> result;
  for (const auto& score : scores(pack_, figures, of_experiment, simulations_))
    result.push_back(score.simulated.value());
  return result;
}

std::vector<double> PackFitter::errors(const std::vector<std::size_t>& figures, const std::vector<double>& values) {
  auto result = simulated(figures, values);
  for (std::size_t i = 0; i < figures.size(); ++i)
    result[i] = result[i] / *pack_.figures[figures[i]].published.number() - 1;
  return result;
}

FitResult PackFitter::fit(const std::vector<std::size_t>& parameters, const std::vector<std::size_t>& figures,
                          std::vector<double>& values, const FitOptions& options) {
  std::vector<double> middles;
  for (const auto index : parameters) {
    const auto& p = pack_.parameters[index];
    middles.push_back(p.logarithmic ? std::sqrt(p.low * p.high) : (p.low + p.high) / 2);
  }
  return run(parameters, figures, values, middles, 0, options);
}

std::vector<FittedParameter> PackFitter::uncertainties(const PackFit& fit, const std::vector<double>& values,
                                                       double sigma) {
  std::vector<double> start;
  for (const auto index : fit.parameters) start.push_back(values[index]);
  auto unchanged = values;
  return run(fit.parameters, fit.figures, unchanged, start, sigma, {.max_evaluations = 1}).parameters;
}

double PackFitter::scatter(const std::vector<double>& values) {
  std::vector<std::size_t> predicted;
  for (std::size_t i = 0; i < pack_.figures.size(); ++i)
    if (pack_.figures[i].role == FigureRole::predicted) predicted.push_back(i);
  const auto summary = summary_of(absolute(errors(predicted, values)));
  return 1.4826 * summary.median.value_or(0);
}

FitResult PackFitter::run(const std::vector<std::size_t>& parameters, const std::vector<std::size_t>& figures,
                          std::vector<double>& values, const std::vector<double>& start, double sigma,
                          const FitOptions& options) {
  std::vector<FitParameter> fitted;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& p = pack_.parameters[parameters[i]];
    fitted.push_back({p.name, start[i], p.low, p.high, p.logarithmic ? FitScale::log : FitScale::linear});
  }
  std::vector<FitTarget> targets;
  for (const auto index : figures)
    targets.push_back({pack_.figures[index].published.id, *pack_.figures[index].published.number(), sigma});
  const auto model = [&](const std::vector<double>& candidate) {
    for (std::size_t i = 0; i < parameters.size(); ++i) values[parameters[i]] = candidate[i];
    return simulated(figures, values);
  };
  auto result = gradflight::fit(fitted, targets, model, options);
  for (std::size_t i = 0; i < parameters.size(); ++i) values[parameters[i]] = result.parameters[i].value;
  return result;
}

void PackFitter::find_dependencies() {
  if (!depends_.empty()) return;
  const auto figures = scored_figures(pack_);
  for (std::size_t p = 0; p < pack_.parameters.size(); ++p) {
    const auto& parameter = pack_.parameters[p];
    auto values = written();
    values[p] = values[p] == parameter.low ? parameter.high : parameter.low;
    std::vector<bool> changes(pack_.experiments.size());
    for (const auto& run : wanted_runs(pack_, figures, values))
      changes[run.experiment] = run.prepared.id() != checked_.experiments[run.experiment].prepared.id();
    auto& row = depends_.emplace_back(pack_.figures.size());
    for (const auto figure : figures)
      row[figure] = std::ranges::any_of(pack_.figures[figure].experiments, [&](std::size_t e) { return changes[e]; });
  }
}

bool PackFitter::depends(std::size_t figure, std::size_t parameter) {
  find_dependencies();
  return depends_[parameter][figure];
}

bool PackFitter::determines(const std::vector<std::size_t>& figures) {
  // Fits make relative errors small; of what is below 0 there are none.
  if (std::ranges::any_of(figures, [&](std::size_t f) { return *pack_.figures[f].published.number() < 0; }))
    return false;
  // A matching of parameters to figures, by augmenting paths.
  std::vector<std::size_t> taken_by(figures.size(), pack_.parameters.size());
  const std::function<bool(std::size_t, std::vector<bool>&)> place = [&](std::size_t p, std::vector<bool>& tried) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      if (tried[i] || !depends(figures[i], p)) continue;
      tried[i] = true;
      if (taken_by[i] == pack_.parameters.size() || place(taken_by[i], tried)) {
        taken_by[i] = p;
        return true;
      }
    }
    return false;
  };
  for (std::size_t p = 0; p < pack_.parameters.size(); ++p) {
    std::vector<bool> tried(figures.size());
    if (!place(p, tried)) return false;
  }
  return true;
}

TransferResult PackFitter::transfer(const PackTransfer& transfer, const FitEnded& ended) {
  TransferResult result;
  result.name = transfer.name;
  std::vector<std::size_t> parameters;
  auto predict = transfer.predict;
  for (std::size_t p = 0; p < pack_.parameters.size(); ++p) {
    if (std::ranges::any_of(transfer.fit, [&](std::size_t figure) { return depends(figure, p); })) {
      parameters.push_back(p);
      continue;
    }
    // It keeps its value, and what gave it that value is not predicted.
    if (std::ranges::none_of(predict, [&](std::size_t figure) { return depends(figure, p); })) continue;
    result.held.push_back(pack_.parameters[p].name);
    for (const auto& fit : pack_.fits) {
      if (std::ranges::find(fit.parameters, p) == fit.parameters.end()) continue;
      for (const auto figure : fit.figures)
        if (std::erase(predict, figure) > 0) result.left_out.push_back(pack_.figures[figure].published.id);
    }
  }
  if (parameters.empty())
    throw NotFittable(fmt::format("{}: no parameter has a say in what it fits to", transfer.name));
  if (parameters.size() > transfer.fit.size())
    throw NotFittable(
        fmt::format("{}: {} figures to fit {} parameters to", transfer.name, transfer.fit.size(), parameters.size()));
  if (predict.empty()) throw NotFittable(transfer.name + ": nothing is left to predict");
  auto values = written();
  const auto evaluations = fit(parameters, transfer.fit, values, partial_fit).evaluations;
  for (const auto p : parameters)
    result.parameters.push_back(
        {pack_.parameters[p].name, pack_.parameters[p].text(pack_.parameters[p].rounded(values[p], 4))});
  const auto summary = summary_of(absolute(errors(predict, values)));
  result.fitted = std::ssize(transfer.fit);
  result.predicted = std::ssize(predict);
  result.median = *summary.median;
  result.p90 = *summary.p90;
  ended(result.median, result.p90, evaluations);
  return result;
}

CrossValidation PackFitter::cross_validate(int sets, std::int64_t seed, const FitEnded& ended) {
  constexpr int attempts_per_set = 1000, fits_per_set = 20; // a fit takes seconds, and may find the set undetermined
  const auto all = scored_figures(pack_);
  const auto size = fitted_count(pack_);
  CrossValidation result{seed, static_cast<std::int64_t>(size), std::ssize(all), {}, {}};
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<std::size_t> parameters(pack_.parameters.size());
  std::iota(parameters.begin(), parameters.end(), 0);
  std::set<std::vector<std::size_t>> seen;
  int fits = 0;
  for (int attempt = 0; std::ssize(result.medians) < sets && attempt < attempts_per_set * sets; ++attempt) {
    const auto set = draw(all, size, random);
    if (size == all.size() || !seen.insert(set).second || !determines(set)) continue;
    if (++fits > fits_per_set * sets) break;
    std::vector<std::size_t> rest;
    std::ranges::set_difference(all, set, std::back_inserter(rest));
    auto values = written();
    const auto fitted = fit(parameters, set, values, partial_fit);
    if (!std::ranges::all_of(fitted.parameters, &FittedParameter::identified)) continue;
    const auto summary = summary_of(absolute(errors(rest, values)));
    result.medians.push_back(*summary.median);
    result.p90s.push_back(*summary.p90);
    ended(*summary.median, *summary.p90, fitted.evaluations);
  }
  if (result.medians.empty())
    throw NotFittable(fmt::format("no set of {} of {} figures leaves any to predict and determines all {} parameters",
                                  size, all.size(), parameters.size()));
  return result;
}

} // namespace gradflight
