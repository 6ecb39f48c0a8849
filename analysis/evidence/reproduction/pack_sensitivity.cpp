#include "analysis/evidence/reproduction/pack_sensitivity.hpp"

#include "base/human.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr double step = 1.01;         ///< 1 %
constexpr double mostly_input = 0.75; ///< share of a figure
/// Largest distance of one sensitivity from 1, and of all others together from 0.
constexpr double in_proportion = 0.02;

/// Returns 0 if no proportion exists: the figure is 0, or negligible compared with the other.
double sensitivity(double before, double after, double factor) {
  const double ratio = after / before;
  if (!std::isfinite(ratio)) return 0;
  return ratio > 0 ? std::log(ratio) / std::log(factor) : (ratio - 1) / (factor - 1);
}

/// Adds the variant to the names, so that error messages contain it.
std::vector<WantedRun> named(std::vector<WantedRun> runs, const std::string& as) {
  for (auto& run : runs) run.name += ", " + as;
  return runs;
}

double input_share(const Pack& pack, const std::vector<double>& sensitivities) {
  double share = 0;
  for (std::size_t i = 0; i < pack.input_numbers.size(); ++i)
    if (pack.input_numbers[i].time) share += pack.input_numbers[i].sign() * sensitivities[pack.parameters.size() + i];
  return std::abs(share);
}

} // namespace

const std::string& number_name(const Pack& pack, std::size_t index) {
  const auto fitted = pack.parameters.size();
  return index < fitted ? pack.parameters[index].name : pack.input_numbers[index - fitted].name;
}

std::string dependent_reason(const Pack& pack, const std::vector<double>& sensitivities, double share) {
  if (share > mostly_input) return fmt::format("{} of it is input time", human_percent(std::min(share, 1.0)));
  double sum = 0;
  for (const double value : sensitivities) sum += std::abs(value);
  for (std::size_t i = 0; i < pack.parameters.size(); ++i) {
    const double own = std::abs(sensitivities[i]);
    if (std::abs(own - 1) <= in_proportion && sum - own <= in_proportion)
      return fmt::format("in proportion to one fitted number, {}", pack.parameters[i].name);
  }
  return {};
}

PackSensitivity::PackSensitivity(const CheckedPack& checked, bool with_choices) : checked_(checked) {
  const auto& pack = checked.pack;
  for (std::size_t i = 0; i < pack.figures.size(); ++i)
    if (pack.figures[i].value && pack.figures[i].published.number() != nullptr) figures_.push_back(i);
  std::vector<double> written;
  for (const auto& parameter : pack.parameters) written.push_back(parameter.value);
  for (std::size_t i = 0; i < written.size(); ++i)
    numbers_.push_back(moved(pack.parameters[i].name, [&](double factor) {
      PackVariant variant{written};
      variant.values[i] *= factor;
      return variant;
    }));
  for (const auto& numbers : pack.input_numbers)
    numbers_.push_back(moved(numbers.name, [&](double factor) {
      return PackVariant{{}, replacements(numbers, factor)};
    }));
  for (const auto& choice : pack.choices)
    choices_.push_back(!with_choices || choice.without.empty()
                           ? std::vector<WantedRun>{}
                           : named(wanted_runs(pack, figures_, without(choice)), "without " + choice.what));
}

void mark_dependent(CheckedPack& checked, const PackSensitivity& sensitivity, Simulations& simulations) {
  std::vector<const WantedRun*> own, wanted;
  for (const auto& experiment : checked.experiments) own.push_back(&experiment);
  wanted = own;
  sensitivity.add_runs(wanted);
  simulations.run(wanted);
  PaperScore paper{&checked.pack, scores(checked.pack, all_figures(checked.pack), own, simulations), {}};
  sensitivity.judge(paper, simulations);
  for (std::size_t i = 0; i < paper.figures.size(); ++i) {
    if (paper.figures[i].dependent_because.empty()) continue;
    checked.pack.figures[i].role = FigureRole::dependent;
    checked.pack.figures[i].reason = paper.figures[i].dependent_because;
  }
}

PackSensitivity::Moved PackSensitivity::moved(const std::string& name,
                                              const std::function<PackVariant(double)>& variant) const {
  try {
    return {named(wanted_runs(checked_.pack, figures_, variant(step)), name + " 1 % larger"), step};
  } catch (const InputErrors&) { // the value is at its upper limit
    return {named(wanted_runs(checked_.pack, figures_, variant(1 / step)), name + " 1 % smaller"), 1 / step};
  }
}

void PackSensitivity::add_runs(std::vector<const WantedRun*>& wanted) const {
  for (const auto& number : numbers_)
    for (const auto& run : number.runs) wanted.push_back(&run);
  for (const auto& choice : choices_)
    for (const auto& run : choice) wanted.push_back(&run);
}

std::vector<FigureScore> PackSensitivity::scores_of(const std::vector<WantedRun>& runs,
                                                    const Simulations& simulations) const {
  std::vector<const WantedRun*> of_experiment(checked_.pack.experiments.size());
  for (const auto& run : runs) of_experiment[run.experiment] = &run;
  return scores(checked_.pack, figures_, of_experiment, simulations);
}

void PackSensitivity::judge(PaperScore& paper, const Simulations& simulations) const {
  judge_numbers(paper, simulations);
  judge_choices(paper, simulations);
}

void PackSensitivity::judge_numbers(PaperScore& paper, const Simulations& simulations) const {
  const auto& pack = checked_.pack;
  for (const auto& number : numbers_) {
    const auto after = scores_of(number.runs, simulations);
    for (std::size_t k = 0; k < figures_.size(); ++k) {
      auto& score = paper.figures[figures_[k]];
      score.sensitivities.push_back(sensitivity(*score.simulated, *after[k].simulated, number.factor));
    }
  }
  for (const auto index : figures_) {
    auto& score = paper.figures[index];
    score.input_share = input_share(pack, score.sensitivities);
    if (score.role() == FigureRole::predicted)
      score.dependent_because = dependent_reason(pack, score.sensitivities, *score.input_share);
  }
}

void PackSensitivity::judge_choices(PaperScore& paper, const Simulations& simulations) const {
  for (const auto& runs : choices_) {
    std::vector<double> with, without;
    const auto after = runs.empty() ? std::vector<FigureScore>{} : scores_of(runs, simulations);
    for (std::size_t k = 0; k < after.size(); ++k) {
      const auto& score = paper.figures[figures_[k]];
      if (score.role() != FigureRole::predicted || after[k].simulated == score.simulated) continue;
      with.push_back(std::abs(*score.relative_error));
      without.push_back(std::abs(*after[k].relative_error));
    }
    paper.choices.push_back({statistics_of(with), statistics_of(without)});
  }
}

} // namespace gradflight
