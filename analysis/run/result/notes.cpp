#include "analysis/run/result/notes.hpp"

#include "analysis/run/result/memory.hpp"
#include "analysis/run/result/uneven_steps.hpp"
#include "base/human.hpp"
#include "models/schedules/parts/collective.hpp"
#include "platforms/code/doubtful_values.hpp"
#include "platforms/code/spec/gpu_capacity.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/training/bucket_layout.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// A single vector that is ready with the last gradient cannot overlap with the backward pass, whatever `overlap` is.
bool overlaps_nothing(const Scenario& scenario, const TrainingSpec& training) {
  const ExchangeSpec& exchange = training.exchange;
  if (is_sharded(exchange) && exchange.sharded.stage > 1 && training.accumulation > 1 && !exchange.sharded.no_sync)
    return false; // a mini-batch's gradients are scattered beside the passes of the next one
  const auto& layers = scenario.workload.layers;
  // Layers before the first one with gradients end the backward pass while the exchange is under way.
  const auto trained = std::ranges::find_if(layers, [](const Layer& layer) { return !layer.tensors.empty(); });
  const bool frozen = std::any_of(layers.begin(), trained, [](const Layer& layer) { return layer.backward > 0; });
  return training.overlap.kind == OverlapKind::layerwise && scenario.workload.backward() > 0 && !frozen &&
         exchange_buckets(scenario.workload, training).size() == 1;
}

/// Returns a text if the last phase ends before its first exchange; else empty.
std::string no_exchange_text(const TrainingSpec& training) {
  if (training.iterations >= training.every) return "";
  return fmt::format("one of {0} steps exchanges gradients, but training.iterations is {1}, so no step does; set it to "
                     "{0} or more",
                     training.every, training.iterations);
}

/// Returns a text if several servers share the NICs of a node although there are enough nodes; else empty.
std::string crowded_servers_text(const Scenario& scenario) {
  const ExchangeSpec& exchange = scenario.phases.back().training.exchange;
  const int per_node = scenario.platform.gpus_per_node;
  if (!has_servers(exchange) || !exchange.colocated || exchange.servers < 2 || per_node < 2 ||
      scenario.platform.nodes < 2 || scenario.placement != Placement::linear)
    return "";
  const int crowd = std::min(per_node, exchange.servers);
  const int fewest = (exchange.servers + scenario.platform.nodes - 1) / scenario.platform.nodes;
  // Distributing the servers over the nodes in turn would not reduce the number per node, or per NIC.
  if (crowd <= fewest || (scenario.platform.node && scenario.platform.node->nics >= per_node)) return "";
  const int last = (exchange.servers - 1) / per_node;
  return last == 0 ? fmt::format("all {} servers are on node 0 and share its NICs", exchange.servers)
                   : fmt::format("the {} servers are on nodes 0 to {}, up to {} per node, and share their NICs",
                                 exchange.servers, last, crowd);
}

/// Returns "the compute times are those of A100, but ..." if the workload names another GPU than the platform has.
std::string other_gpu(const Scenario& scenario) {
  const std::string& timed = scenario.workload.gpu;
  if (timed.empty() || !scenario.platform.node) return "";
  const std::string& own = scenario.platform.node->gpu.name;
  if (own.empty() || own == timed || find_gpu_capacity(own) == nullptr) return "";
  return fmt::format("the compute times are those of {0}, but the platform has {1}; set workload.gpu to {1}", timed,
                     own);
}

} // namespace

std::string sentence(const Note& note) { return (note.warning ? "Warning: " : "Assumed: ") + note.text + "."; }

std::vector<Note> find_notes(const Scenario& scenario, const RunResult& result) {
  std::vector<Note> found;
  const TrainingSpec& training = scenario.phases.back().training;
  if (!scenario.workload.assumed.empty()) found.push_back({false, "workload: " + scenario.workload.assumed});
  if (const std::string text = other_gpu(scenario); !text.empty()) found.push_back({true, text});
  for (const std::string& text : doubtful_values(scenario.platform)) found.push_back({true, text});
  if (const CompressionSpec& c = training.compression; c.codec && c.tensors.directory.empty())
    found.push_back({false, fmt::format("codec {} compresses by a factor of {:.4g}, because no real tensors are given",
                                        c.codec->name, c.ratio)});
  if (overlaps_nothing(scenario, training))
    found.push_back({true, "one bucket holds the whole gradient, so the exchange cannot overlap the backward pass; use "
                           "smaller buckets or more layers"});
  if (const std::string text = no_exchange_text(training); !text.empty()) found.push_back({true, text});
  if (!pipeline_is_full(scenario, result))
    found.push_back(
        {true, fmt::format("the pipeline of {} iterations is not full yet, so the time of an iteration is not "
                           "that of a steady step; increase training.iterations",
                           training.overlap.k)});
  if (const std::string where = crowded_servers_text(scenario); !where.empty())
    found.push_back({true, where + "; set \"placement\": \"cyclic\" to spread them over the nodes"});
  if (const MemoryNeed need = memory_per_gpu(scenario); need.too_much())
    found.push_back(
        {true, fmt::format("the model needs {} per GPU without activations, but {} has {}: {}", human_bytes(need.bytes),
                           need.gpu, human_bytes(*need.capacity),
                           need.sharded ? "shard it over more ranks" : "shard it (exchange algorithm \"sharded\")")});
  return found;
}

} // namespace gradflight
