#include "analysis/calibration/experiments.hpp"

#include "scenarios/load.hpp"
#include "sim/forked_work.hpp"
#include "sim/simulate.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <string_view>

namespace gradflight {

namespace {

struct Known {
  std::string_view name, exchange; ///< exchange: JSON
  MeasuredQuantity quantity;
};

// Messages of one transfer are a push to a parameter server; a tree's are top-k lists of 8 bytes an entry.
constexpr std::array known = {
    Known{"p2p", R"({"algorithm": "parameter_server"})", MeasuredQuantity::first_message},
    Known{"ring", R"({"algorithm": "ring"})", MeasuredQuantity::time},
    Known{"recursive_doubling", R"({"algorithm": "recursive_doubling"})", MeasuredQuantity::time},
    Known{"halving_doubling", R"({"algorithm": "halving_doubling"})", MeasuredQuantity::time},
    Known{"parameter_server", R"({"algorithm": "parameter_server"})", MeasuredQuantity::time},
    Known{"parameter_server_push", R"({"algorithm": "parameter_server"})", MeasuredQuantity::pushed},
    Known{"topk_tree", R"({"algorithm": "gtopk", "density": 1})", MeasuredQuantity::time},
    Known{"hierarchical", R"({"algorithm": "hierarchical", "group_size": 4})", MeasuredQuantity::time},
    Known{"reduce", R"({"algorithm": "binomial_tree"})", MeasuredQuantity::reduced},
};

const Known* find(const std::string& name) {
  const auto found = std::ranges::find(known, name, &Known::name);
  return found == known.end() ? nullptr : &*found;
}

/// Whole elements of 4 bytes; of a top-k list of density 1 so many that its entries weigh `bytes`.
std::int64_t vector_bytes(const MeasuredCase& c) {
  return c.experiment == "topk_tree" ? 4 * ((c.bytes + 7) / 8) : 4 * ((c.bytes + 3) / 4);
}

int node_count(const MeasuredCase& c) { return c.experiment == "p2p" ? 1 : c.experiment == "reduce" ? 2 : c.p; }

std::string scenario_text(const MeasuredCase& c, const Known& experiment) {
  const double rate = c.rate_mbit > 0 ? c.rate_mbit : 1;
  return fmt::format(
      R"({{"platform": {{"nodes": {}, "network": {{"topology": "star", "link": {{"bandwidth": "{}Mbps"}}}}, "protocol": {{}}}},
"workload": {{"tensors": [{{"name": "vector", "bytes": "{}B"}}]}}, "training": {{"exchange": {}}}}})",
      node_count(c), rate, vector_bytes(c), experiment.exchange);
}

std::vector<std::string> row_sets(const MeasuredCase& c) {
  return {fmt::format("platform.nodes={}", c.p), fmt::format("platform.network.link.bandwidth={}Mbps", c.rate_mbit),
          fmt::format("workload.tensors.0.bytes={}B", vector_bytes(c))};
}

double measure(const Experiment& experiment) {
  const Scenario& scenario = experiment.scenario;
  const Platform platform = build_platform(scenario.platform, extra_nodes(scenario));
  Timeline timeline;
  SimulateOptions options;
  options.timeline = &timeline;
  const int server = scenario.workers();
  switch (experiment.quantity) {
  case MeasuredQuantity::time: return simulate(scenario, platform).time;
  case MeasuredQuantity::reduced: return simulate(scenario, platform).path[static_cast<std::size_t>(Part::gamma)];
  case MeasuredQuantity::first_message: simulate(scenario, platform, options); return timeline.transfers.at(0).end;
  case MeasuredQuantity::pushed: {
    simulate(scenario, platform, options);
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

double answer_of(ForkedWork& work) {
  while (!work.read_some()) {
  }
  const ForkedAnswer answer = work.finish();
  if (answer.kind != ForkedAnswer::Kind::answered)
    throw std::runtime_error("a simulation for the calibration failed: " + answer.text);
  if (answer.text.starts_with('!')) throw SimulationFailure(answer.text.substr(1), {});
  return std::strtod(answer.text.c_str(), nullptr);
}

} // namespace

const std::vector<std::string>& experiment_names() {
  static const auto names = [] {
    std::vector<std::string> all;
    for (const Known& k : known) all.emplace_back(k.name);
    return all;
  }();
  return names;
}

bool is_experiment(const std::string& name) { return find(name) != nullptr; }

Experiment make_experiment(const MeasuredCase& measured, const std::vector<std::string>& sets,
                           const std::string& directory) {
  std::vector<std::string> all = sets;
  for (const auto& [path, value] : measured.sets) all.push_back(path + '=' + value);
  Experiment experiment;
  if (const Known* k = find(measured.experiment)) {
    experiment.scenario = parse_scenario(scenario_text(measured, *k), measured.name(), all);
    experiment.quantity = k->quantity;
  } else {
    const std::vector<std::string> row = row_sets(measured);
    all.insert(all.begin(), row.begin(), row.end());
    experiment.scenario = load_scenario((std::filesystem::path(directory) / measured.experiment).string(), all);
  }
  if (measured.algorithm == "eager" && experiment.scenario.platform.protocol)
    experiment.scenario.platform.protocol->eager_limit = Bytes(1e18);
  return experiment;
}

std::vector<double> simulate_experiments(const std::vector<const Experiment*>& experiments, int jobs) {
  std::vector<double> seconds;
  std::deque<ForkedWork> running;
  for (std::size_t next = 0; seconds.size() < experiments.size();) {
    if (next < experiments.size() && running.size() < static_cast<std::size_t>(jobs)) {
      const Experiment& experiment = *experiments[next++];
      running.emplace_back([&experiment] {
        try {
          return fmt::format("{:a}", measure(experiment));
        } catch (const SimulationFailure& failure) {
          return std::string("!") + failure.what();
        }
      });
      continue;
    }
    seconds.push_back(answer_of(running.front()));
    running.pop_front();
  }
  return seconds;
}

} // namespace gradflight
