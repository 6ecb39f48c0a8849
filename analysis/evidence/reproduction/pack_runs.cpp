#include "analysis/evidence/reproduction/pack_runs.hpp"

#include "analysis/run/result/fields/quantity.hpp"
#include "analysis/run/runner.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/packs/pack_fits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace gradflight {
namespace {

/// Returns "time_s(p2) = 0.1, time_s(p4) = 0.15".
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

std::vector<double> readings_of(const PackFigure& figure, const std::vector<const WantedRun*>& of_experiment,
                                const Simulations& simulations) {
  std::vector<double> readings;
  for (std::size_t k = 0; k < figure.experiments.size(); ++k)
    readings.push_back(
        simulations.value(of_experiment[figure.experiments[k]]->prepared.id(), figure.value->readings()[k].quantity));
  return readings;
}

std::vector<FigureScore> scores(const Pack& pack, const std::vector<std::size_t>& figures,
                                const std::vector<const WantedRun*>& of_experiment, const Simulations& simulations) {
  return scores(pack, figures, [&](std::size_t experiment, const std::string& quantity) {
    return simulations.value(of_experiment[experiment]->prepared.id(), quantity);
  });
}

std::vector<FigureScore> scores(const Pack& pack, const std::vector<std::size_t>& figures,
                                const ReadingOf& reading_of) {
  std::vector<FigureScore> result;
  std::vector<Problem> problems;
  for (const auto index : figures) {
    const auto& figure = pack.figures[index];
    std::vector<double> readings;
    for (std::size_t k = 0; k < figure.experiments.size(); ++k)
      readings.push_back(reading_of(figure.experiments[k], figure.value->readings()[k].quantity));
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

PackVariant without(const PackChoice& choice) { return {{}, {}, choice.without, choice.experiments}; }

Changes changes_of(const Pack& pack, std::size_t index, const PackVariant& variant) {
  Changes changes{{}, pack.experiments[index].settings, replacements(pack, variant.values)};
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(changes.replacements, variant.replacements);
  if (std::ranges::binary_search(variant.experiments, index)) append(changes.settings, variant.settings);
  return changes;
}

std::vector<WantedRun> wanted_runs(const Pack& pack, const std::vector<std::size_t>& figures,
                                   const PackVariant& variant) {
  std::vector<WantedRun> wanted;
  auto quantities = quantities_of(pack, figures);
  for (std::size_t i = 0; i < pack.experiments.size(); ++i)
    if (!quantities[i].empty())
      wanted.push_back({prepare_changed(pack.experiments[i].scenario, changes_of(pack, i, variant)), i,
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
        scenario_digest(prepare_changed(pack.experiments[i].scenario, changes_of(pack, i, {values})).scenario()));
  return pack_digest(pack, digests);
}

double Simulations::value(const std::string& id, const std::string& quantity) const {
  return values_.at(id).at(quantity);
}

void Simulations::want(Batch batch, Batches& wanted) const {
  if (const auto known = values_.find(*batch.key); known != values_.end())
    std::erase_if(batch.quantities, [&](const std::string& quantity) { return known->second.contains(quantity); });
  if (batch.quantities.empty()) return;
  const auto [entry, fresh] = wanted.place.try_emplace(*batch.key, wanted.all.size());
  if (fresh)
    wanted.all.push_back(std::move(batch));
  else
    wanted.all[entry->second].quantities.merge(batch.quantities);
}

void Simulations::run(const std::vector<const WantedRun*>& wanted) {
  Batches unknown;
  for (const auto* run : wanted)
    want({&run->prepared.id(), &run->name, run->quantities, &run->prepared, nullptr}, unknown);
  run(unknown);
}

void Simulations::run(const std::vector<LazyRun>& wanted) {
  Batches unknown;
  for (const auto& run : wanted) want({&run.key, &run.name, run.quantities, nullptr, &run.prepare}, unknown);
  run(unknown);
}

void Simulations::run(const Batches& wanted) {
  const auto& batches = wanted.all;
  // Values of the quantities, in order; and the reason if it cannot be simulated.
  using Values = std::pair<std::vector<std::optional<double>>, std::string>;
  const auto simulated = [&](std::size_t index, Process process) -> Values {
    const auto& batch = batches[index];
    std::optional<Prepared> made;
    try {
      if (batch.prepared == nullptr) made.emplace((*batch.prepare)());
    } catch (const InputErrors& refused) {
      return {{}, refused.what()};
    }
    const auto& prepared = made ? *made : *batch.prepared;
    const EvaluateOptions options{.process = process, .only_times = std::ranges::all_of(batch.quantities, is_of_times)};
    const Outcome outcome = outcome_of(prepared, simulate(prepared, options));
    Values values;
    for (const auto& quantity : batch.quantities)
      values.first.push_back(find_quantity(quantity, prepared.scenario(), prepared.platform()).read(outcome));
    return values;
  };
  std::string failures;
  const RunnerOptions options{.jobs = jobs_, .progress = progress_};
  run_cases(batches.size(), options, simulated, [&](std::size_t index, const Answer<Values>& answer) {
    const auto& batch = batches[index];
    ++count_;
    if (!answer.finished() || !answer.value.second.empty()) {
      failures += fmt::format("{}: {}\n", *batch.name, answer.finished() ? answer.value.second : answer.end.message());
      return;
    }
    auto value = answer.value.first.begin();
    for (const auto& quantity : batch.quantities) {
      if (*value)
        values_[*batch.key][quantity] = **value;
      else
        failures += fmt::format("{}: this run has no {}\n", *batch.name, quantity);
      ++value;
    }
  });
  if (!failures.empty()) throw ExperimentsFailed(failures);
}

} // namespace gradflight
