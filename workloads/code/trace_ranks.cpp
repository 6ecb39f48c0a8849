#include "workloads/code/trace_ranks.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

std::vector<CollectiveWait> collective_waits(const std::vector<const StepTimes*>& ranks) {
  std::vector<CollectiveWait> waits;
  if (ranks.size() < 2) return waits;
  for (std::size_t i = 0; i < ranks.front()->collectives.size(); ++i) {
    CollectiveWait wait{ranks.front()->collectives[i].operation};
    double shortest = 0;
    bool all = true;
    for (const StepTimes* step : ranks) {
      const bool same = i < step->collectives.size() && step->collectives[i].operation == wait.operation;
      all = all && same && step->collectives[i].kernel;
      if (!all) break;
      const double took = step->collectives[i].kernel->end - step->collectives[i].kernel->begin;
      shortest = step == ranks.front() ? took : std::min(shortest, took);
      wait.mean += took / static_cast<double>(ranks.size());
    }
    if (!all) continue;
    wait.waited = wait.mean - shortest;
    waits.push_back(std::move(wait));
  }
  return waits;
}

Workload slowest_workload(const std::vector<Workload>& ranks, const std::vector<std::string>& names) {
  Workload slowest = ranks.front();
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    const Workload& other = ranks[r];
    if (other.layers.size() != slowest.layers.size())
      throw TraceError(fmt::format("{} gives {} layers and {} gives {}: all ranks of a job should have the same",
                                   names.front(), slowest.layers.size(), names[r], other.layers.size()));
    for (std::size_t i = 0; i < slowest.layers.size(); ++i) {
      Layer& layer = slowest.layers[i];
      layer.forward = std::max(layer.forward, other.layers[i].forward);
      layer.backward = std::max(layer.backward, other.layers[i].backward);
    }
    slowest.update = std::max(slowest.update, other.update);
  }
  return slowest;
}

} // namespace gradflight
