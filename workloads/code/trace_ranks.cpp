#include "workloads/code/trace_ranks.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

bool alike(const Tensor& a, const Tensor& b) { return a.elements == b.elements && a.element == b.element; }

std::string tensors_text(const Layer& layer) {
  std::string text;
  for (const Tensor& tensor : layer.tensors)
    text += fmt::format("{}{} elements of {}", text.empty() ? "" : ", ", tensor.elements, name_of(tensor.element));
  return text.empty() ? "nothing" : text;
}

} // namespace

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

std::vector<std::pair<std::size_t, std::string>> contradictions(const std::vector<RecordedRank>& ranks) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    const auto other = std::find_if(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(r),
                                    [&](const RecordedRank& rank) { return rank.rank == ranks[r].rank; });
    if (ranks[r].rank >= 0 && other != ranks.begin() + static_cast<std::ptrdiff_t>(r))
      found.emplace_back(r, fmt::format("this trace is of rank {}, and so is {}: give one trace for each rank",
                                        ranks[r].rank, other->name));
    const RecordedRank& first = ranks.front();
    if (ranks[r].world_size > 0 && first.world_size > 0 && ranks[r].world_size != first.world_size)
      found.emplace_back(
          r, fmt::format("this trace is of a job of {} ranks, but {} is of a job of {}: give traces of one job",
                         ranks[r].world_size, first.name, first.world_size));
  }
  return found;
}

Workload slowest_workload(const std::vector<Workload>& ranks, const std::vector<std::string>& names) {
  Workload slowest = ranks.front();
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    const Workload& other = ranks[r];
    if (other.layers.size() != slowest.layers.size())
      throw TraceError(fmt::format("{} has {} layers, but {} has {}: all ranks of a job must have the same layers",
                                   names.front(), slowest.layers.size(), names[r], other.layers.size()));
    for (std::size_t i = 0; i < slowest.layers.size(); ++i) {
      Layer& layer = slowest.layers[i];
      if (!std::ranges::equal(layer.tensors, other.layers[i].tensors, alike))
        throw TraceError(
            fmt::format("{} exchanges {} in {}, but {} {}: all ranks of a job must exchange the same tensors",
                        names.front(), tensors_text(layer), layer.name, names[r], tensors_text(other.layers[i])));
      layer.forward = std::max(layer.forward, other.layers[i].forward);
      layer.backward = std::max(layer.backward, other.layers[i].backward);
    }
    slowest.update = std::max(slowest.update, other.update);
  }
  return slowest;
}

} // namespace gradflight
