#include "analysis/evidence/boards/training_runs.hpp"

#include "analysis/run/evaluate.hpp"
#include "analysis/run/result/outcome.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace gradflight {

namespace {

/// Keeps the first GPUs of the only node. NICs are idle there, so their number does not matter.
void keep_gpus(PlatformSpec& platform, int gpus) {
  platform.gpus_per_node = gpus;
  if (!platform.node) return;
  NodeSpec& node = *platform.node;
  if (node.mesh()) {
    node.pairs = mesh_pairs(node);
    std::erase_if(node.pairs, [&](const GpuPair& pair) { return pair.a >= gpus || pair.b >= gpus; });
    if (gpus == 1) node.intra = NodeFabric::pcie;
  }
  node.gpus = gpus;
  node.sockets = std::min(node.sockets, gpus);
  if (!node.gpu_sockets.empty()) node.gpu_sockets.assign(static_cast<std::size_t>(gpus), 0);
  node.nics = 1;
  node.near.clear();
  node.nic_seats.clear();
}

/// Creates `jobs` concurrent jobs, each with a rank on every node: rank i of job j is GPU j of node i.
void place_side_by_side(Scenario& scenario, int jobs) {
  JobSpec job;
  job.workload = std::exchange(scenario.workload, {});
  job.phases = std::exchange(scenario.phases, {});
  for (int j = 0; j < jobs; ++j) {
    job.name = fmt::format("job{}", j);
    job.ranks.clear();
    for (int node = 0; node < scenario.platform.nodes; ++node) job.ranks.push_back(node * jobs + j);
    scenario.jobs.push_back(job);
  }
}

/// A job on a number of GPUs, alone or beside equal jobs, with scalable compute times.
class ScaledJob {
public:
  ScaledJob(const BoardPack& board, const MeasuredTraining& entry, int ranks, int jobs)
      : scenario_(load(board, entry, {})), jobs_(jobs) {
    constexpr int varying_steps = 200; // their mean has a standard error below a tenth of the spread
    const int gpus = scenario_.platform.gpus_per_node;
    if (entry.beside && (gpus != 1 || scenario_.platform.node))
      throw InputErrors(
          {{"", 0, 0, "/platform", "concurrent jobs need platforms with one GPU per node and without \"node\""}});
    if (ranks > gpus && ranks % gpus != 0)
      throw InputErrors({{"", 0, 0, "", fmt::format("{} GPUs do not fill whole nodes of {} GPUs", ranks, gpus)}});
    const int nodes = std::max(1, ranks / gpus);
    if (nodes != scenario_.platform.nodes) scenario_ = load(board, entry, fmt::format("platform.nodes={}", nodes));
    if (entry.beside) scenario_.platform.gpus_per_node = jobs;
    if (ranks < gpus) keep_gpus(scenario_.platform, ranks);
    if (board.spread && board.spread->value > 0) {
      scenario_.platform.jitter = Jitter{Jitter::Distribution::exponential, board.spread->value, 0};
      scenario_.phases.back().training.iterations = varying_steps;
    }
    const Workload& work = scenario_.workload;
    const int passes = scenario_.phases.back().training.accumulation;
    compute_ = passes * (work.forward() + work.backward()) + work.update;
  }

  /// Returns the compute time of a step without scaling.
  [[nodiscard]] double compute() const { return compute_; }
  /// Returns the samples per GPU and step.
  [[nodiscard]] double samples() const { return static_cast<double>(scenario_.workload.batch); }

  /// Returns the time of a step with compute times multiplied by `factor`.
  [[nodiscard]] double step(double factor) const {
    Scenario scaled = scenario_;
    for (Layer& layer : scaled.workload.layers) {
      layer.forward *= factor;
      layer.backward *= factor;
    }
    scaled.workload.update *= factor;
    EvaluateOptions options;
    options.only_times = true;
    if (jobs_ == 1) {
      const bool varies = scaled.platform.jitter.has_value();
      const RunResult result = simulate(Prepared(std::move(scaled), ""), options);
      return varies ? result.time / static_cast<double>(total_iterations(scenario_)) : result.step_time();
    }
    place_side_by_side(scaled, jobs_);
    const RunResult result = simulate(Prepared(std::move(scaled), ""), options);
    double sum = 0;
    for (const JobRun& job : result.jobs) sum += job.run.step_time();
    return sum / jobs_;
  }

  /// Returns the time of the rings of all jobs, one after another at the rate of a node's link.
  [[nodiscard]] double line_rings() const {
    const int workers = scenario_.workers() / jobs_; // of each job
    const double p = workers;
    return jobs_ * 2 * (p - 1) / p * scenario_.workload.bytes() / scenario_.platform.network.link.bandwidth.value();
  }

private:
  static Scenario load(const BoardPack& board, const MeasuredTraining& entry, const std::string& last) {
    std::vector<std::string> sets;
    for (const auto& member : entry.set)
      sets.push_back(member.key + "=" +
                     (member.value.kind == Node::Kind::text ? member.value.text : json_text_ordered(member.value)));
    if (!last.empty()) sets.push_back(last);
    return load_scenario(board.pack.beside(entry.scenario->text), sets);
  }

  Scenario scenario_;
  int jobs_ = 1;
  double compute_ = 0;
};

/// Returns the factor with which a step takes `wanted`. A step never gets shorter with longer compute times. It is
/// never shorter than these, except by chance if they vary. So this uses false position between no compute and compute
/// only. Returns nothing if the exchange alone takes longer.
std::optional<double> fitted_factor(const ScaledJob& job, double wanted) {
  constexpr double accuracy = 1e-10;
  double low = 0, high = wanted / job.compute();
  double above = job.step(high) - wanted;
  while (above < -accuracy * wanted) {
    high *= 1.1;
    above = job.step(high) - wanted;
  }
  if (above <= accuracy * wanted) return high;
  double below = job.step(low) - wanted;
  if (below > 0) return std::nullopt;
  for (int i = 0; i < 200; ++i) {
    // Every third iteration uses the middle, because a flat range, where compute hides the exchange, slows false
    // position down.
    const double factor = i % 3 == 2 ? (low + high) / 2 : low + (high - low) * -below / (above - below);
    const double miss = job.step(factor) - wanted;
    if (std::abs(miss) <= accuracy * wanted) return factor;
    (miss > 0 ? high : low) = factor;
    (miss > 0 ? above : below) = miss;
    if (high - low <= 1e-14 * high) break;
  }
  return (low + high) / 2;
}

void answer_training(const BoardPack& board, const BoardTable& table, TrainingAnswer& answer) {
  const MeasuredTraining& entry = board.pack.training[table.entry];
  const ScaledJob base(board, entry, table.base_ranks, table.base_jobs);
  const auto refuse = [&](std::string why) { answer.mistakes.push_back(std::move(why)); };
  if (base.compute() <= 0) return refuse("the job has no compute time to scale");
  if (table.base_step <= 0 && base.samples() <= 0)
    return refuse("/workload/batch is missing: a measured throughput needs it");
  answer.base_step = table.base_step > 0 ? table.base_step : base.samples() * table.base_ranks / table.base_speed;
  const auto factor = fitted_factor(base, answer.base_step);
  if (!factor)
    return refuse(fmt::format("{}the exchange alone takes longer than the measured step of {:.4g} s on {} GPUs",
                              table.job.empty() ? "" : table.job + ": ", answer.base_step, table.base_ranks));
  answer.compute = *factor * base.compute();
  for (const BoardCase& one : table.cases) {
    const ScaledJob job(board, entry, one.ranks, one.jobs);
    answer.steps.push_back(job.step(*factor));
    if (table.is_contention()) answer.line_rings.push_back(job.line_rings());
  }
}

} // namespace

TrainingAnswer training_answer(const BoardPack& board, const BoardTable& table) {
  TrainingAnswer answer;
  try {
    answer_training(board, table, answer);
  } catch (const InputErrors& errors) {
    for (const Diagnostic& each : errors.diagnostics()) answer.mistakes.push_back(each.message_at_pointer());
  } catch (const UnbuildablePlatform& errors) {
    answer.mistakes.emplace_back(errors.what());
  }
  return answer;
}

void fill_in_training(BoardTable& table, const TrainingAnswer& answer) {
  table.compute = answer.compute;
  table.base_step = answer.base_step;
  for (std::size_t i = 0; i < table.cases.size(); ++i) {
    BoardCase& one = table.cases[i];
    const double kept = answer.base_step / answer.steps.at(i); // remaining share of the efficiency
    if (table.is_contention()) {
      one.simulated = answer.steps.at(i);
      one.yardsticks[static_cast<std::size_t>(Yardstick::line_ring)] = answer.line_rings.at(i);
      continue;
    }
    one.simulated = table.kind == CaseKind::sharded ? 1 - kept : kept * one.ranks / table.base_ranks;
  }
}

} // namespace gradflight
