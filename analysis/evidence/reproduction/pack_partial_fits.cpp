// Fits to parts of a pack's figures, many at a time, and their predictions.
#include "analysis/evidence/calibration/stepwise_fit.hpp"
#include "analysis/evidence/reproduction/pack_fit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <set>

namespace gradflight {
namespace {

/// For a part of the figures: a thousandth of the range between bounds changes no error by as much as a tenth of a
/// percent.
constexpr FitOptions partial_fit{.max_evaluations = 300, .tolerance = 1e-4};

std::size_t fitted_count(const Pack& pack) {
  return static_cast<std::size_t>(
      std::ranges::count(pack.figures, FigureRole::fitted, [](const PackFigure& figure) { return figure.role; }));
}

/// Draws `size` of `all` without repetition. std::sample may differ between libraries; this does not.
std::vector<std::size_t> draw(std::vector<std::size_t> all, std::size_t size, std::mt19937_64& random) {
  for (std::size_t i = 0; i < size; ++i) std::swap(all[i], all[i + random() % (all.size() - i)]);
  all.resize(size);
  std::ranges::sort(all);
  return all;
}

/// Returns the figures that a random set may contain, or has to predict.
std::vector<std::size_t> drawable_figures(const Pack& pack) {
  std::vector<std::size_t> figures;
  for (std::size_t i = 0; i < pack.figures.size(); ++i)
    if (pack.figures[i].scored()) figures.push_back(i);
  return figures;
}

/// A partial fit in progress: the points to simulate next, until its prediction.
class PartialSteps {
public:
  PartialSteps(PartialFit& fit, StepwiseFit steps) : fit_(&fit), steps_(std::move(steps)) {}

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::vector<PackPoint> wanted() const {
    if (ended_) return {};
    if (steps_.wanted().empty()) return {{fit_->predicted, fit_->values}};
    std::vector<PackPoint> points;
    for (const auto& candidate : steps_.wanted()) {
      auto& point = points.emplace_back(PackPoint{fit_->fitted, fit_->values});
      for (std::size_t i = 0; i < candidate.size(); ++i) point.values[fit_->parameters[i]] = candidate[i];
    }
    return points;
  }
  void answer(const Pack& pack, const std::vector<std::vector<double>>& simulated) {
    if (steps_.wanted().empty()) return predict(pack, simulated.front());
    steps_.answer(simulated);
    if (!steps_.wanted().empty()) return;
    fit_->result = steps_.result();
    for (std::size_t i = 0; i < fit_->parameters.size(); ++i)
      fit_->values[fit_->parameters[i]] = fit_->result.parameters[i].value;
    ended_ = fit_->must_determine && !fit_->determined();
  }

private:
  void predict(const Pack& pack, std::vector<double> simulated) {
    for (std::size_t i = 0; i < simulated.size(); ++i)
      simulated[i] = std::abs(simulated[i] / *pack.figures[fit_->predicted[i]].published.number() - 1);
    fit_->errors = statistics_of(simulated);
    ended_ = true;
  }

  PartialFit* fit_;
  StepwiseFit steps_;
  bool ended_ = false;
};

} // namespace

bool PartialFit::determined() const { return std::ranges::all_of(result.parameters, &FittedParameter::identified); }

bool PackFitter::determines(const std::vector<std::size_t>& figures) {
  // Fits minimise relative errors, so values must not be below 0.
  if (std::ranges::any_of(figures, [&](std::size_t f) { return *pack_.figures[f].published.number() < 0; }))
    return false;
  // Find a matching of parameters to figures with augmenting paths.
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

void PackFitter::fit_together(std::vector<PartialFit>& fits, const std::function<void(const PartialFit&)>& ended) {
  std::vector<PartialSteps> all;
  for (auto& fit : fits)
    all.emplace_back(fit, StepwiseFit(fit_parameters(fit.parameters), fit_targets(fit.fitted, 0), partial_fit));
  for (std::size_t told = 0; told < all.size();) {
    std::vector<PackPoint> points;
    std::vector<std::size_t> counts;
    for (const auto& steps : all) {
      auto wanted = steps.wanted();
      counts.push_back(wanted.size());
      std::ranges::move(wanted, std::back_inserter(points));
    }
    const auto simulations = simulated(points);
    auto from = simulations.begin();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto to = from + static_cast<std::ptrdiff_t>(counts[i]);
      if (counts[i] > 0) all[i].answer(pack_, {from, to});
      from = to;
    }
    for (; told < all.size() && all[told].ended(); ++told) ended(fits[told]);
  }
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
    // It keeps its value, and the figures that determined this value are not predicted.
    if (std::ranges::none_of(predict, [&](std::size_t figure) { return depends(figure, p); })) continue;
    result.held.push_back(pack_.parameters[p].name);
    for (const auto& fit : pack_.fits) {
      if (std::ranges::find(fit.parameters, p) == fit.parameters.end()) continue;
      for (const auto figure : fit.figures)
        if (std::erase(predict, figure) > 0) result.left_out.push_back(pack_.figures[figure].published.id);
    }
  }
  if (parameters.empty())
    throw NotFittable(fmt::format("{}: no parameter influences the figures of the fit", transfer.name));
  if (parameters.size() > transfer.fit.size())
    throw NotFittable(fmt::format("{}: {} figures are too few to fit {} parameters", transfer.name, transfer.fit.size(),
                                  parameters.size()));
  if (predict.empty()) throw NotFittable(transfer.name + ": no figure is left to predict");
  std::vector<PartialFit> fits{{parameters, transfer.fit, predict, written()}};
  fits.front().must_determine = false;
  fit_together(fits, [](const PartialFit&) {});
  const auto& fit = fits.front();
  for (const auto p : parameters)
    result.parameters.push_back(
        {pack_.parameters[p].name, pack_.parameters[p].text(pack_.parameters[p].rounded(fit.values[p], 4))});
  result.fitted = std::ssize(transfer.fit);
  result.predicted = std::ssize(predict);
  result.median = *fit.errors.median;
  result.p90 = *fit.errors.p90;
  ended(result.median, result.p90, fit.result.evaluations);
  return result;
}

CrossValidation PackFitter::cross_validate(int sets, std::int64_t seed, const FitEnded& ended) {
  // A fit may find that its set determines too little.
  constexpr std::int64_t attempts_per_set = 1000, fits_per_set = 20;
  const auto all = drawable_figures(pack_);
  const auto size = fitted_count(pack_);
  CrossValidation result{seed, static_cast<std::int64_t>(size), std::ssize(all), {}, {}};
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<std::size_t> parameters(pack_.parameters.size());
  std::iota(parameters.begin(), parameters.end(), 0);
  std::set<std::vector<std::size_t>> seen;
  std::int64_t attempts = 0, fitted = 0;
  // Sets that determine too little are replaced by new draws; the success rate so far gives the number of draws. The
  // first sets in the order of drawing count, independent of the number of parallel fits.
  for (bool more = size < all.size(); more && std::ssize(result.medians) < sets;) {
    const auto found = std::ssize(result.medians);
    const double luck = fitted == 0 ? 1 : std::max(0.1, static_cast<double>(found) / static_cast<double>(fitted));
    const auto wanted = static_cast<std::ptrdiff_t>(std::ceil(static_cast<double>(sets - found) / luck));
    std::vector<PartialFit> fits;
    for (; std::ssize(fits) < wanted && attempts < attempts_per_set * sets; ++attempts) {
      const auto set = draw(all, size, random);
      if (!seen.insert(set).second || !determines(set)) continue;
      if (++fitted > fits_per_set * sets) break;
      std::vector<std::size_t> rest;
      std::ranges::set_difference(all, set, std::back_inserter(rest));
      fits.push_back({parameters, set, rest, written()});
    }
    more = !fits.empty();
    fit_together(fits, [&](const PartialFit& fit) {
      if (!fit.determined() || std::ssize(result.medians) == sets) return;
      result.medians.push_back(*fit.errors.median);
      result.p90s.push_back(*fit.errors.p90);
      ended(*fit.errors.median, *fit.errors.p90, fit.result.evaluations);
    });
  }
  if (result.medians.empty())
    throw NotFittable(fmt::format("no set of {} of {} figures leaves any to predict and determines all {} parameters",
                                  size, all.size(), parameters.size()));
  return result;
}

} // namespace gradflight
