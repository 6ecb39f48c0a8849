#include "sim/training/rank_layout.hpp"

#include "models/schedules/make_schedule.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"

namespace gradflight {

int worker_place(const Scenario& scenario, int worker) {
  if (scenario.seat) return scenario.seat->gpus[static_cast<std::size_t>(worker)];
  if (scenario.placement == Placement::linear) return worker;
  const PlatformSpec& platform = scenario.platform;
  const int node = worker % platform.nodes, gpu = worker / platform.nodes;
  return node * platform.gpus_per_node + gpu;
}

int helper_place(const Scenario& scenario, const Platform& platform, int helper) {
  return platform.gpu_places() + (scenario.seat ? scenario.seat->helpers_before : 0) + helper;
}

RankLayout::RankLayout(const Scenario& scenario, const ExchangeSpec& exchange, const Platform& platform,
                       std::span<const std::int32_t> switches)
    : workers_(scenario.workers()) {
  for (int worker = 0; worker < workers_; ++worker) places_.push_back(worker_place(scenario, worker));
  if (switches.empty()) {
    const bool colocated = has_servers(exchange) && exchange.colocated;
    for (int helper = 0; helper < helper_count(exchange, workers_); ++helper)
      places_.push_back(colocated ? place(helper) : helper_place(scenario, platform, helper));
  }
  places_.insert(places_.end(), switches.begin(), switches.end());
  for (const std::int32_t number : places_) {
    const Place& at = platform.place(number);
    nodes_.push_back(at.node);
    slowness_.push_back(1 / at.compute_speed);
    gamma_.push_back(at.reduce_bandwidth > 0 ? 1 / at.reduce_bandwidth : 0);
  }
}

} // namespace gradflight
