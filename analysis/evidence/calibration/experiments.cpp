#include "analysis/evidence/calibration/experiments.hpp"

#include "analysis/run/runner.hpp"
#include "base/input_file.hpp"
#include "scenarios/language/decode/load.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>

namespace gradflight {

namespace {

struct KnownExperiment {
  std::string_view name, exchange; ///< `exchange` is JSON
  MeasuredQuantity quantity;
};

// A message of one transfer is a push to a parameter server. The messages of a tree are top-k lists of 8 bytes per
// entry.
constexpr std::array known_experiments = {
    KnownExperiment{"p2p", R"({"algorithm": "parameter_server"})", MeasuredQuantity::first_message},
    KnownExperiment{"ring", R"({"algorithm": "ring"})", MeasuredQuantity::time},
    KnownExperiment{"recursive_doubling", R"({"algorithm": "recursive_doubling"})", MeasuredQuantity::time},
    KnownExperiment{"halving_doubling", R"({"algorithm": "halving_doubling"})", MeasuredQuantity::time},
    KnownExperiment{"parameter_server", R"({"algorithm": "parameter_server"})", MeasuredQuantity::time},
    KnownExperiment{"parameter_server_push", R"({"algorithm": "parameter_server"})", MeasuredQuantity::pushed},
    KnownExperiment{"topk_tree", R"({"algorithm": "gtopk", "density": 1})", MeasuredQuantity::time},
    KnownExperiment{"hierarchical", R"({"algorithm": "hierarchical", "group_size": 4})", MeasuredQuantity::time},
    KnownExperiment{"reduce", R"({"algorithm": "binomial_tree"})", MeasuredQuantity::reduced},
};

const KnownExperiment* find(const std::string& name) {
  const auto found = std::ranges::find(known_experiments, name, &KnownExperiment::name);
  return found == known_experiments.end() ? nullptr : &*found;
}

/// Returns bytes of whole 4-byte elements. For a top-k list of density 1, its entries have `bytes` bytes.
std::int64_t vector_bytes(const MeasuredCase& c) {
  return c.experiment == "topk_tree" ? 4 * ((c.bytes + 7) / 8) : 4 * ((c.bytes + 3) / 4);
}

int node_count(const MeasuredCase& c) { return c.experiment == "p2p" ? 1 : c.experiment == "reduce" ? 2 : c.p; }

/// Returns the scenario of the experiment on a star; the row sets its nodes, rate and bytes.
std::string scenario_text(const KnownExperiment& experiment) {
  return fmt::format(R"({{"platform": {{"network": {{"topology": "star", "link": {{}}}}, "protocol": {{}}}},
"workload": {{"tensors": [{{"name": "vector"}}]}}, "training": {{"exchange": {}}}}})",
                     experiment.exchange);
}

/// Returns the settings of a case, with their positions in the CSV file.
Changes changes_of(const MeasuredCase& c, const std::vector<std::string>& sets, const std::string& csv) {
  const auto setting = [&](std::string path, Node value, int column) {
    value.position = {0, c.line, column};
    return Setting{std::move(path), value, csv, value.position};
  };
  const double rate = c.rate_mbit > 0 ? c.rate_mbit : 1;
  Changes changes{sets, {}, {}};
  changes.before = {
      setting("platform.nodes", Node::of(std::int64_t{node_count(c)}), c.columns.p),
      setting("platform.network.link.bandwidth", Node::of(fmt::format("{}Mbps", rate)), c.columns.rate_mbit),
      setting("workload.tensors.0.bytes", Node::of(fmt::format("{}B", vector_bytes(c))), c.columns.bytes)};
  for (const CaseSetting& set : c.sets)
    changes.settings.push_back(
        {set.path, literal_or_text(set.value, {0, c.line, set.column}), csv, {0, 1, set.header_column}});
  return changes;
}

/// Only the built platform reveals some mistakes: too few places for the nodes, no route.
std::vector<PlatformError> platform_errors(const Scenario& scenario, Known known) {
  return Preparation().build(scenario, known);
}

/// Mistakes of a whole scenario file, or in the text of a known experiment, are reported where the case names it.
Diagnostic in_row(Diagnostic d, const MeasuredCase& c, const std::string& csv) {
  const int column = c.columns.experiment;
  if (d.line == 0) return {csv, c.line, column, d.pointer, fmt::format("\"{}\": {}", d.file, d.message)};
  if (d.file == c.name()) return {csv, c.line, column, d.pointer, fmt::format("{} (in {})", d.message, c.name())};
  return d;
}

double measure(const Experiment& experiment, Process process) {
  Scenario scenario = experiment.scenario;
  if (experiment.eager && scenario.platform.protocol) scenario.platform.protocol->eager_limit = Bytes(1e18);
  const Prepared prepared(std::move(scenario));
  Timeline timeline;
  EvaluateOptions options;
  options.process = process;
  const bool timed =
      experiment.quantity == MeasuredQuantity::first_message || experiment.quantity == MeasuredQuantity::pushed;
  if (timed) options.timeline = &timeline;
  const RunResult result = simulate(prepared, options);
  const int server = prepared.scenario().workers();
  switch (experiment.quantity) {
  case MeasuredQuantity::time: return result.time;
  case MeasuredQuantity::reduced: return at(result.path, Part::gamma);
  case MeasuredQuantity::first_message: return timeline.transfers.at(0).end;
  case MeasuredQuantity::pushed: {
    double end = 0;
    for (const Transfer& t : timeline.transfers)
      if (t.to == server) end = std::max(end, t.end);
    for (const Interval& i : timeline.intervals)
      if (i.rank == server && i.activity == Activity::reduce) end = std::max(end, i.end);
    return end;
  }
  }
  throw std::logic_error("unknown quantity");
}

} // namespace

const std::vector<std::string>& experiment_names() {
  static const auto names = [] {
    std::vector<std::string> all;
    for (const KnownExperiment& k : known_experiments) all.emplace_back(k.name);
    return all;
  }();
  return names;
}

bool is_experiment(const std::string& name) { return find(name) != nullptr; }

Experiment make_experiment(const MeasuredCase& measured, const std::vector<std::string>& sets, const std::string& csv) {
  const Changes changes = changes_of(measured, sets, csv);
  Experiment experiment;
  experiment.eager = measured.algorithm == "eager";
  try {
    if (const KnownExperiment* k = find(measured.experiment)) {
      experiment.scenario = parse_changed_scenario(scenario_text(*k), measured.name(), changes, platform_errors);
      experiment.quantity = k->quantity;
    } else {
      const auto file = directory_of(csv) / measured.experiment;
      experiment.scenario = load_changed_scenario(file.string(), changes, platform_errors);
    }
  } catch (const InputErrors& errors) {
    std::vector<Diagnostic> found;
    for (const Diagnostic& d : errors.diagnostics()) found.push_back(in_row(d, measured, csv));
    throw InputErrors(std::move(found));
  }
  return experiment;
}

std::vector<double> simulate_experiments(const std::vector<const Experiment*>& experiments, int jobs) {
  std::vector<double> seconds;
  run_cases(
      experiments.size(), {.jobs = jobs, .in_caller = true},
      [&](std::size_t i, Process process) { return measure(*experiments[i], process); },
      [&](std::size_t, const Answer<double>& answer) {
        if (answer.end.kind == WorkEnd::Kind::failed) throw SimulationFailure(answer.end.text, {});
        if (!answer.finished())
          throw std::runtime_error("a simulation for the calibration failed: " + answer.end.message());
        seconds.push_back(answer.value);
      });
  return seconds;
}

} // namespace gradflight
