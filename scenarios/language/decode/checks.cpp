#include "scenarios/language/decode/checks.hpp"

#include "models/codecs/catalogue.hpp"
#include "models/nearest_name.hpp"
#include "scenarios/language/fields/value.hpp"
#include "sim/schedules/parts/collective.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Violations = std::vector<Violation>;

/// Gradients go one way, and parameters come back another.
bool pulls(const Collective& row) { return row.keys.servers || row.keys.sharded; }

void check_exchange(const Scenario& scenario, const ExchangeSpec& exchange, const std::string& at, Violations& found) {
  if (!has_servers(exchange)) return;
  const auto workers = scenario.workers();
  if (exchange.backup_workers >= workers)
    found.push_back(
        {at + "/backup_workers", fmt::format("{} backup workers of {} workers leave no gradient to wait for",
                                             exchange.backup_workers, workers)});
  if (exchange.colocated && exchange.servers > workers)
    found.push_back({at + "/servers", fmt::format("{} colocated servers need as many ranks, but there are {}",
                                                  exchange.servers, workers)});
  if (reactive(exchange) && exchange.pull != Pull::flat)
    found.push_back({at + "/pull", "a server that answers each worker by itself has a \"flat\" pull: a tree needs "
                                   "consistency synchronous without backup workers"});
  if (reactive(exchange) && exchange.pull_at == PullAt::first_use)
    found.push_back({at + "/pull_at", "\"first_use\" needs consistency synchronous without backup workers"});
  if (exchange.servers > scenario.workload.elements())
    found.push_back({at + "/servers", fmt::format("{} servers are more than the model's {} elements", exchange.servers,
                                                  scenario.workload.elements())});
  // Every worker has a message for each server under way at once, some 500 bytes of memory each.
  constexpr std::int64_t max_pushes = 10'000'000;
  if (std::int64_t{workers} * exchange.servers > max_pushes)
    found.push_back({at + "/servers", fmt::format("{} workers times {} servers are more than {} messages at once",
                                                  workers, exchange.servers, max_pushes)});
  if (!exchange.colocated && workers + std::int64_t{exchange.servers} > max_ranks)
    found.push_back({at + "/servers", fmt::format("{} workers and {} servers are more than {} ranks", workers,
                                                  exchange.servers, max_ranks)});
}

/// Of ranks that lack the whole model.
void check_sharded(const Scenario& scenario, const TrainingSpec& training, const std::string& at, Violations& found) {
  if (!is_sharded(training.exchange)) return;
  const int size = training.exchange.sharded.group_size, workers = scenario.workers();
  if (size > 0 && size < workers && workers % size != 0)
    found.push_back(
        {at + "/exchange/group_size",
         fmt::format("{} ranks do not form groups of {}: shards would differ from group to group", workers, size)});
  if (training.every > 1)
    found.push_back({at + "/every",
                     "a local step needs the whole model, and ranks update a shard of it: \"every\" is 1 "
                     "beside a sharded exchange"});
  if (training.overlap.kind == OverlapKind::pipelined)
    found.push_back({at + "/overlap", "steps of a sharded exchange begin with its parameters, so they do not overlap: "
                                      "\"none\" or \"layerwise\""});
  if (!training.compression.tensors.directory.empty())
    found.push_back({at + "/compression/tensors", "a sharded exchange carries parameters, too, which are not there: "
                                                  "give a \"ratio\""});
}

/// A library moves vectors that it is given, whole, by streams of its own.
void check_library(const TrainingSpec& training, const std::string& at, Violations& found) {
  const Collective* library = library_of(training.exchange);
  if (library == nullptr) return;
  const auto refuse = [&](bool wrong, const std::string& key, const std::string& why) {
    if (wrong) found.push_back({at + key, fmt::format("calls of {} {}", library->name, why)});
  };
  const CompressionSpec& c = training.compression;
  refuse(!c.tensors.directory.empty(), "/compression/tensors", "carry no real tensors: give a \"ratio\"");
  refuse(c.placement.has_value(), "/compression/placement",
         "do not compress on the way: give a \"ratio\", and what it takes as \"costs\" before and after the exchange");
  refuse(!c.even(), "/compression",
         "carry all tensors alike: leave \"except\", \"except_below\" and "
         "\"tensor_overhead\" out");
  refuse(training.selection.has_value(), "/selection", "carry whole buckets: chosen chunks need another exchange");
  for (std::size_t i = 0; i < training.costs.size(); ++i) {
    const CostHook hook = training.costs[i].at;
    refuse(hook == CostHook::message_send || hook == CostHook::message_receive, fmt::format("/costs/{}/at", i),
           "have messages of their own, whose costs the library's tables have: before or after the exchange");
  }
}

/// Real tensors must be those of the workload and enough for its ranks, in an exchange that has a sum.
void check_tensors(const Scenario& scenario, const TrainingSpec& training, const std::string& at, Violations& found) {
  const GradientFiles& files = training.compression.tensors;
  if (files.directory.empty()) return;
  const ExchangeSpec& exchange = training.exchange;
  const auto elements = scenario.workload.elements();
  if (files.elements != elements)
    found.push_back({at + "/tensors", fmt::format("the gradients have {} elements, the workload's tensors {}",
                                                  files.elements, elements)});
  if (files.workers < scenario.workers())
    found.push_back({at + "/tensors",
                     fmt::format("there are gradients of {} workers for {} ranks", files.workers, scenario.workers())});
  if (reactive(exchange))
    found.push_back({at + "/tensors", "a server that does not wait for every worker has no sum to compare with: it "
                                      "needs consistency synchronous without backup workers"});
}

/// What a codec does not go with, tensors or not.
void check_codec(const TrainingSpec& training, const std::string& at, Violations& found) {
  const ExchangeSpec& exchange = training.exchange;
  if (!training.compression.codec) return;
  if (sends_lists(exchange))
    found.push_back({at + "/codec", "top-k exchanges have an encoding of their own; leave \"codec\" out"});
  const auto& codecs = codec::catalogue();
  const auto info = std::ranges::find(codecs, training.compression.codec->name, &codec::CodecInfo::name);
  if (info->keeps_residual && !has_servers(exchange))
    found.push_back(
        {at + "/codec", fmt::format("codec {} keeps what it has not sent for the next step; partial sums on the way "
                                    "have no next step: it needs algorithm {}",
                                    info->name, collective_names(by_servers))});
}

void check_placement(const Scenario& scenario, const TrainingSpec& training, const std::string& at, Violations& found) {
  const CompressionSpec& c = training.compression;
  if (!c.placement) return;
  if (sends_lists(training.exchange))
    found.push_back({at + "/placement", "top-k exchanges send lists that no codec works on; what selection takes is "
                                        "told by \"costs\""});
  if (!c.even())
    found.push_back({at + "/placement", "a codec that has a place takes whole messages: leave \"except\", "
                                        "\"except_below\" and \"tensor_overhead\" out"});
  if (training.selection)
    found.push_back({at + "/placement", "a codec that has a place takes all messages alike, but norms of chunks travel "
                                        "as they are: leave \"selection\" or \"placement\" out"});
  if (c.in_nic() && scenario.platform.message_bytes)
    found.push_back(
        {at + "/placement", "\"nic\" counts packets and headers by itself: leave platform.message_bytes out"});
  if (c.in_nic() && scenario.engine.kind == EngineKind::simgrid)
    found.push_back({at + "/placement", "\"nic\" needs engine \"hybrid\": streams take the stages of an engine with "
                                        "weights, which SimGrid's communications cannot express"});
}

/// Every pattern names a tensor, and there is something that can be left out.
void check_left_out(const Scenario& scenario, const TrainingSpec& training, const std::string& at, Violations& found) {
  const CompressionSpec& compression = training.compression;
  if (compression.even()) return;
  if (sends_lists(training.exchange))
    found.push_back({at, "top-k exchanges select from all tensors together; \"except\", \"except_below\" and "
                         "\"tensor_overhead\" need an exchange of whole tensors"});
  std::vector<std::string> names;
  for (const Layer& layer : scenario.workload.layers)
    for (const Tensor& tensor : layer.tensors) names.push_back(tensor.name);
  for (std::size_t i = 0; i < compression.except.size(); ++i) {
    const std::string& pattern = compression.except[i];
    if (std::ranges::any_of(names, [&](const auto& name) { return names_tensor(pattern, {name, 1}); })) continue;
    const std::string nearest = nearest_name(pattern, names);
    found.push_back({fmt::format("{}/except/{}", at, i),
                     fmt::format("\"{}\" names no tensor of the workload{}", pattern,
                                 nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest))});
  }
}

/// Chosen chunks go through an all-reduce, one vector after another, and the next step's depend on this one's.
void check_selection(const Scenario& scenario, std::size_t phase, const std::string& at, Violations& found) {
  const TrainingSpec& training = scenario.phases[phase].training;
  if (!training.selection) {
    for (std::size_t c = 0; c < training.costs.size(); ++c)
      if (training.costs[c].at == CostHook::selection)
        found.push_back({fmt::format("{}/costs/{}/at", at, c), "\"selection\" needs training.selection"});
    return;
  }
  const auto refuse = [&](bool wrong, const char* key, const std::string& why) {
    if (wrong) found.push_back({at + key, "chunks are chosen " + why});
  };
  const auto sums_dense = [](const Collective& row) {
    return row.unit == Unit::elements && !pulls(row) && !by_library(row);
  };
  const Granularity::Kind granularity = training.granularity.kind;
  refuse(!sums_dense(collective(training.exchange.algorithm)), "/exchange/algorithm",
         "for an all-reduce: " + collective_names(sums_dense));
  refuse(granularity != Granularity::Kind::model && granularity != Granularity::Kind::fusion, "/granularity",
         "and exchanged together or fused: \"model\" or fusion_threshold");
  refuse(training.overlap.kind == OverlapKind::pipelined && training.overlap.k > 1, "/overlap",
         "by the norms of the step before, so steps cannot overlap: \"none\" or \"layerwise\"");
  refuse(training.streams > 1, "/streams", "when all others are exchanged: one stream");
  refuse(!training.compression.even(), "/compression", "whatever tensors they belong to: none can be left out");
  const bool real = !training.compression.tensors.directory.empty();
  refuse(training.selection->momentum && !real, "/selection/momentum",
         "by no values here: \"momentum\" needs real tensors (training.compression.tensors)");
  const TrainingSpec* before = phase > 0 ? &scenario.phases[phase - 1].training : nullptr;
  const bool known = before != nullptr && before->selection && !before->compression.tensors.directory.empty() &&
                     before->selection->chunk_elements == training.selection->chunk_elements;
  refuse(real && training.selection->share < 1 && !known, "/selection/chunk_share",
         "by norms that the first step does not have: begin with a warm-up phase of chunk_share 1");
}

void check_training(const Scenario& scenario, std::size_t phase, const std::string& at, Violations& found) {
  const TrainingSpec& training = scenario.phases[phase].training;
  check_exchange(scenario, training.exchange, at + "/exchange", found);
  check_sharded(scenario, training, at, found);
  check_library(training, at, found);
  check_tensors(scenario, training, at + "/compression", found);
  check_codec(training, at + "/compression", found);
  check_placement(scenario, training, at + "/compression", found);
  check_left_out(scenario, training, at + "/compression", found);
  check_selection(scenario, phase, at, found);
  if (!pulls(collective(training.exchange.algorithm)) && training.compression.push != training.compression.pull)
    found.push_back({at + "/compression/legs",
                     fmt::format("only algorithm {} has legs that can be compressed one without the other; write "
                                 "[\"push\", \"pull\"] or nothing",
                                 collective_names(pulls))});
  if (training.granularity.kind == Granularity::Kind::segments &&
      training.granularity.segments > scenario.workload.elements())
    found.push_back(
        {at + "/granularity/segments", fmt::format("{} segments are more than the model's {} elements",
                                                   training.granularity.segments, scenario.workload.elements())});
}

} // namespace

std::vector<Violation> check_platform(const PlatformSpec& platform, const std::string& pointer) {
  Violations found;
  const auto ranks = std::int64_t{platform.nodes} * platform.gpus_per_node;
  if (ranks > max_ranks)
    found.push_back({pointer + "/nodes", fmt::format("{} nodes with {} GPUs each are {} ranks; at most {} are possible",
                                                     platform.nodes, platform.gpus_per_node, ranks, max_ranks)});
  return found;
}

std::vector<Violation> check_scenario(const Scenario& scenario) {
  auto found = check_platform(scenario.platform, "/platform");
  if (scenario.platform.protocol && scenario.engine.kind == EngineKind::simgrid)
    found.push_back({"/platform/protocol", "the reference engine knows no protocols: leave \"protocol\" out, or use "
                                           "engine \"hybrid\""});
  if (!scenario.traffic.empty() && scenario.engine.kind == EngineKind::simgrid)
    found.push_back({"/traffic", "the reference engine ends when all its transfers have, and these never do: leave "
                                 "\"traffic\" out, or use engine \"hybrid\""});
  for (std::size_t i = 0; i < scenario.changes.size(); ++i) {
    const ChangeSpec& change = scenario.changes[i];
    const bool links = !change.gpu;
    if (change.up && links && scenario.engine.kind == EngineKind::simgrid)
      found.push_back({fmt::format("/changes/{}/state", i),
                       "the reference engine fails what is on a link that goes down, and takes it up no more: leave "
                       "\"state\" out, or use engine \"hybrid\""});
  }
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i)
    if (scenario.traffic[i].from == scenario.traffic[i].to)
      found.push_back({fmt::format("/traffic/{}/to", i), "a flow from a node to itself crosses no link"});
  if (std::int64_t{scenario.platform.nodes} * scenario.platform.gpus_per_node > max_ranks) return found;
  for (std::size_t i = 0; i + 1 < scenario.phases.size(); ++i)
    check_training(scenario, i, fmt::format("/training/warmup/{}", i), found);
  check_training(scenario, scenario.phases.size() - 1, "/training", found);
  return found;
}

} // namespace gradflight
