#include "analysis/reproduction/pack_runs.hpp"

#include "analysis/result/quantity.hpp"
#include "analysis/runs/runner.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/packs/pack_fits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace gradflight {
namespace {

/// "time_s(p2) = 0.1, time_s(p4) = 0.15"
std::string readings_text(const PackFigure& figure, const std::vector<double>& values) {
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& reading = figure.value->readings()[k];
    text += fmt::format("{}{}({}) = {}", k > 0 ? ", " : "", reading.quantity, reading.experiment, values[k]);
  }
  return text;
}

} // namespace

std::vector<std::set<std::string>> quantities_of(const Pack& pack, const std::vector<std::size_t>& figures) {
  std::vector<std::set<std::string>> all(pack.experiments.size());
  for (const auto index : figures) {
    const auto& figure = pack.figures[index];
    for (std::size_t k = 0; k < figure.experiments.size(); ++k)
      if (figure.experiments[k] != PackFigure::no_experiment)
        all[figure.experiments[k]].insert(figure.value->readings()[k].quantity);
  }
  return all;
}

std::vector<std::size_t> all_figures(const Pack& pack) {
  std::vector<std::size_t> all(pack.figures.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<FigureScore> scores(const Pack& pack, const std::vector<std::size_t>& figures,
                                const std::vector<const WantedRun*>& of_experiment, const Simulations& simulations) {
  std::vector<FigureScore> result;
  std::vector<Problem> problems;
  for (const auto index : figures) {
    const auto& figure = pack.figures[index];
    std::vector<double> readings;
    for (std::size_t k = 0; k < figure.experiments.size(); ++k)
      readings.push_back(
          simulations.value(of_experiment[figure.experiments[k]]->prepared.id(), figure.value->readings()[k].quantity));
    try {
      result.push_back(score(figure, readings));
    } catch (const WhereError& error) {
      problems.push_back({figure.position, figure.pointer,
                          fmt::format("{} has no value: {} ({})", json_string(figure.published.id), error.message,
                                      readings_text(figure, readings))});
    }
  }
  if (!problems.empty()) throw InputErrors(pack.sources.diagnostics(std::move(problems)));
  return result;
}

Changes changes_of(const Pack& pack, std::size_t index, const std::vector<double>& values) {
  return {{}, pack.experiments[index].settings, replacements(pack, values)};
}

std::vector<WantedRun> wanted_runs(const Pack& pack, const std::vector<std::size_t>& figures,
                                   const std::vector<double>& values) {
  std::vector<WantedRun> wanted;
  auto quantities = quantities_of(pack, figures);
  for (std::size_t i = 0; i < pack.experiments.size(); ++i)
    if (!quantities[i].empty())
      wanted.push_back({prepare_changed(pack.experiments[i].scenario, changes_of(pack, i, values)), i,
                        pack.experiments[i].name, std::move(quantities[i])});
  return wanted;
}

std::string digest_of(const CheckedPack& checked) {
  std::vector<std::string> digests;
  for (const auto& experiment : checked.experiments) digests.push_back(scenario_digest(experiment.prepared.scenario()));
  return pack_digest(checked.pack, digests);
}

std::string digest_at(const Pack& pack, const std::vector<double>& values) {
  std::vector<std::string> digests;
  for (std::size_t i = 0; i < pack.experiments.size(); ++i)
    digests.push_back(
        scenario_digest(prepare_changed(pack.experiments[i].scenario, changes_of(pack, i, values)).scenario()));
  return pack_digest(pack, digests);
}

double Simulations::value(const std::string& id, const std::string& quantity) const {
  return values_.at(id).at(quantity);
}

void Simulations::run(const std::vector<const WantedRun*>& wanted) {
  struct Batch {
    const WantedRun* first;
    std::set<std::string> quantities;
  };
  std::map<std::string, Batch> unknown;
  for (const auto* run : wanted) {
    const auto& known = values_[run->prepared.id()];
    const auto is_known = [&](const std::string& quantity) { return known.contains(quantity); };
    if (std::ranges::all_of(run->quantities, is_known)) continue;
    auto& batch = unknown.try_emplace(run->prepared.id(), Batch{run, {}}).first->second;
    batch.quantities.insert(run->quantities.begin(), run->quantities.end());
  }
  std::vector<const Batch*> batches;
  for (const auto& [id, batch] : unknown) batches.push_back(&batch);
  using Values = std::vector<std::optional<double>>; // of the quantities, in their order
  const auto simulated = [&](std::size_t index, Process process) {
    const auto& prepared = batches[index]->first->prepared;
    const auto& quantities = batches[index]->quantities;
    Outcome outcome{prepared.scenario(), prepared.id(), simulate(prepared, {.process = process}), {}};
    if (std::ranges::any_of(quantities, [](const auto& q) { return q.starts_with("closed_form."); }))
      outcome.form = closed_form(prepared.scenario(), prepared.platform());
    Values values;
    for (const auto& quantity : quantities)
      values.push_back(find_quantity(quantity, prepared.scenario(), prepared.platform()).read(outcome));
    return values;
  };
  std::string failures;
  run_cases(batches.size(), {.jobs = jobs_}, simulated, [&](std::size_t index, const Answer<Values>& answer) {
    const auto& [first, quantities] = *batches[index];
    ++count_;
    if (progress_) progress_(static_cast<std::int64_t>(index) + 1, std::ssize(batches));
    if (!answer.finished()) {
      failures += fmt::format("{}: {}\n", first->name, answer.end.message());
      return;
    }
    auto value = answer.value.begin();
    for (const auto& quantity : quantities) {
      if (*value)
        values_[first->prepared.id()][quantity] = **value;
      else
        failures += fmt::format("{}: this run has no {}\n", first->name, quantity);
      ++value;
    }
  });
  if (!failures.empty()) throw ExperimentsFailed(failures);
}

} // namespace gradflight
