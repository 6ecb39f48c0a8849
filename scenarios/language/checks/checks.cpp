#include "scenarios/language/checks/checks.hpp"

#include "base/nearest_name.hpp"
#include "models/codecs/catalogue.hpp"
#include "models/schedules/make_schedule.hpp"
#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/checks/checks_failures.hpp"
#include "scenarios/language/checks/checks_training.hpp"
#include "scenarios/language/fields/value.hpp"
#include "scenarios/language/types/jobs.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gradflight {
namespace {

using Violations = std::vector<Violation>;

/// Whether the exchange has two legs: gradients are pushed, and parameters are pulled.
bool pulls(const Collective& row) { return row.keys.servers || row.keys.sharded; }

void check_exchange(const Scenario& scenario, const ExchangeSpec& exchange, const std::string& at, Violations& found) {
  if (!has_servers(exchange)) return;
  const auto workers = scenario.workers();
  if (exchange.backup_workers >= workers)
    found.push_back({at + "/backup_workers", fmt::format("{} backup workers must be fewer than the {} workers",
                                                         exchange.backup_workers, workers)});
  if (exchange.colocated && exchange.servers > workers)
    found.push_back({at + "/servers", fmt::format("{} colocated servers need as many ranks, but the job has {}",
                                                  exchange.servers, workers)});
  if (reactive(exchange) && exchange.pull != Pull::flat)
    found.push_back(
        {at + "/pull", "a binomial pull needs consistency \"synchronous\" without backup workers; use \"flat\""});
  if (reactive(exchange) && exchange.pull_at == PullAt::first_use)
    found.push_back({at + "/pull_at", "\"first_use\" needs consistency \"synchronous\" without backup workers"});
  if (exchange.servers > scenario.workload.elements())
    found.push_back({at + "/servers",
                     fmt::format("{} servers are too many for a model of {} elements: each server needs at least one",
                                 exchange.servers, scenario.workload.elements())});
  // Every worker has a message to each server in transit at the same time; a message needs about 500 bytes of memory.
  constexpr std::int64_t max_pushes = 10'000'000;
  if (std::int64_t{workers} * exchange.servers > max_pushes)
    found.push_back({at + "/servers", fmt::format("{} workers and {} servers exchange too many messages at once; at "
                                                  "most {} are possible (workers x servers)",
                                                  workers, exchange.servers, max_pushes)});
  if (!exchange.colocated && workers + std::int64_t{exchange.servers} > max_ranks)
    found.push_back(
        {at + "/servers", fmt::format("{} workers and {} servers are too many; at most {} ranks are possible", workers,
                                      exchange.servers, max_ranks)});
}

/// Checks exchanges of ranks without the whole model.
void check_sharded(const Scenario& scenario, const TrainingSpec& training, const std::string& at, Violations& found) {
  if (!is_sharded(training.exchange)) return;
  const int size = training.exchange.sharded.group_size, workers = scenario.workers();
  if (size > 0 && size < workers && workers % size != 0)
    found.push_back({at + "/exchange/group_size",
                     fmt::format("{} ranks cannot be divided into equal groups of {}", workers, size)});
  if (training.every > 1)
    found.push_back({at + "/every", "must be 1 with a sharded exchange: a local step needs the whole model, but each "
                                    "rank updates only its shard"});
  if (training.overlap.kind == OverlapKind::pipelined)
    found.push_back({at + "/overlap", "a sharded exchange cannot overlap steps, because each step begins with the "
                                      "gathered parameters: use \"none\" or \"layerwise\""});
  if (!training.compression.tensors.directory.empty())
    found.push_back(
        {at + "/compression/tensors",
         "a sharded exchange also sends parameters, which recorded gradients do not contain: give a \"ratio\""});
}

/// Returns how the first tensor of other size in the gradients differs from the workload's; empty if none does. Both
/// have equally many elements in all.
std::string other_tensor(const Workload& workload, const GradientFiles& files) {
  std::size_t at = 0;
  for (const Layer& layer : workload.layers) {
    for (const Tensor& tensor : layer.tensors) {
      if (at < files.tensors.size() && files.tensors[at] != tensor.elements)
        return fmt::format("tensor {} of the gradients has {} elements, but tensor \"{}\" of the workload has {}", at,
                           files.tensors[at], tensor.name, tensor.elements);
      ++at;
    }
  }
  return {};
}

/// Real tensors must belong to the workload and suffice for its ranks. The exchange must compute a sum.
void check_tensors(const Scenario& scenario, const TrainingSpec& training, const std::string& at, Violations& found) {
  const GradientFiles& files = training.compression.tensors;
  if (files.directory.empty()) return;
  const ExchangeSpec& exchange = training.exchange;
  const auto elements = scenario.workload.elements();
  if (files.elements != elements)
    found.push_back(
        {at + "/tensors", fmt::format("the gradients have {} elements, but the tensors of the workload have {}",
                                      files.elements, elements)});
  else if (const std::string other = other_tensor(scenario.workload, files); !other.empty())
    found.push_back({at + "/tensors", other});
  if (files.workers < scenario.workers())
    found.push_back({at + "/tensors", fmt::format("the directory has gradients of {} workers, but the job has {} ranks",
                                                  files.workers, scenario.workers())});
  if (reactive(exchange))
    found.push_back({at + "/tensors", "real tensors need consistency \"synchronous\" without backup workers: other "
                                      "servers form no sum to compare with"});
}

/// Checks combinations with a codec, with or without tensors.
void check_codec(const TrainingSpec& training, const std::string& at, Violations& found) {
  const ExchangeSpec& exchange = training.exchange;
  if (!training.compression.codec) return;
  if (sends_lists(exchange))
    found.push_back({at + "/codec", "top-k exchanges have their own encoding; leave \"codec\" out"});
  const auto& codecs = codec::catalogue();
  const auto info = std::ranges::find(codecs, training.compression.codec->name, &codec::CodecInfo::name);
  if (info->keeps_residual && !has_servers(exchange))
    found.push_back(
        {at + "/codec", fmt::format("codec {} needs algorithm {}: it keeps a residual for the next step, "
                                    "which partial sums of other algorithms do not have{}",
                                    info->name, collective_names(by_servers),
                                    info->name == "topk" ? "; without servers, leave the codec out and use "
                                                           "algorithm topk_allgather or gtopk with a density"
                                                         : "")});
}

void check_placement(const Scenario& scenario, const TrainingSpec& training, const std::string& at, Violations& found) {
  const CompressionSpec& c = training.compression;
  if (!c.placement) return;
  if (sends_lists(training.exchange))
    found.push_back(
        {at + "/placement",
         "top-k exchanges use no codec; leave \"placement\" out, and give the time of the selection in \"costs\""});
  if (!c.even())
    found.push_back({at + "/placement", "a codec with a placement encodes whole messages: leave \"except\", "
                                        "\"except_below\" and \"tensor_overhead\" out"});
  if (training.selection)
    found.push_back({at + "/placement", "a codec with a placement encodes every message, but the norms of chunks are "
                                        "sent uncompressed: leave \"selection\" or \"placement\" out"});
  if (c.in_nic() && scenario.platform.message_bytes)
    found.push_back(
        {at + "/placement", "placement \"nic\" already counts packets and headers: leave platform.message_bytes out"});
  if (c.in_nic() && scenario.engine.kind == EngineKind::simgrid)
    found.push_back(
        {at + "/placement",
         "placement \"nic\" needs engine \"hybrid\": SimGrid cannot express the stages of a compressing NIC"});
}

/// Every pattern must match a tensor. Top-k exchanges cannot exclude tensors.
void check_left_out(const Scenario& scenario, const TrainingSpec& training, const std::string& at, Violations& found) {
  const CompressionSpec& compression = training.compression;
  if (compression.even()) return;
  if (sends_lists(training.exchange))
    found.push_back({at, "top-k exchanges select from all tensors together: leave \"except\", \"except_below\" and "
                         "\"tensor_overhead\" out"});
  std::vector<std::string> names;
  for (const Layer& layer : scenario.workload.layers)
    for (const Tensor& tensor : layer.tensors) names.push_back(tensor.name);
  for (std::size_t i = 0; i < compression.except.size(); ++i) {
    const std::string& pattern = compression.except[i];
    if (std::ranges::any_of(names, [&](const auto& name) { return names_tensor(pattern, {name, 1}); })) continue;
    const std::string nearest = nearest_name(pattern, names);
    found.push_back({fmt::format("{}/except/{}", at, i),
                     fmt::format("\"{}\" matches no tensor of the workload{}", pattern,
                                 nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest))});
  }
}

/// Chosen chunks use an all-reduce, one vector after another. The choice of the next step depends on this step.
void check_selection(const Scenario& scenario, std::size_t phase, const std::string& at, Violations& found) {
  const TrainingSpec& training = scenario.phases[phase].training;
  if (!training.selection) {
    for (std::size_t c = 0; c < training.costs.size(); ++c)
      if (training.costs[c].at == CostHook::selection)
        found.push_back({fmt::format("{}/costs/{}/at", at, c), "\"selection\" needs training.selection"});
    return;
  }
  const auto refuse = [&](bool wrong, const char* key, const std::string& why) {
    if (wrong) found.push_back({at + key, "with \"selection\", " + why});
  };
  const auto sums_dense = [](const Collective& row) {
    return row.unit == Unit::elements && !pulls(row) && !by_calls(row);
  };
  const Granularity::Kind granularity = training.granularity.kind;
  refuse(!sums_dense(collective(training.exchange.algorithm)), "/exchange/algorithm",
         "the exchange must be an all-reduce: " + collective_names(sums_dense));
  refuse(granularity != Granularity::Kind::model && granularity != Granularity::Kind::fusion, "/granularity",
         "the granularity must be \"model\" or a fusion_threshold");
  refuse(training.overlap.kind == OverlapKind::pipelined && training.overlap.k > 1, "/overlap",
         "steps cannot overlap, because each step chooses its chunks by the norms of the step before: use \"none\" or "
         "\"layerwise\"");
  refuse(training.streams > 1, "/streams", "only one communication stream is possible");
  refuse(!training.compression.even(), "/compression",
         "no tensor can be excluded: leave \"except\", \"except_below\" and \"tensor_overhead\" out");
  const bool real = !training.compression.tensors.directory.empty();
  refuse(training.selection->momentum && !real, "/selection/momentum",
         "\"momentum\" needs real tensors (training.compression.tensors)");
  const TrainingSpec* before = phase > 0 ? &scenario.phases[phase - 1].training : nullptr;
  const bool known = before != nullptr && before->selection && !before->compression.tensors.directory.empty() &&
                     before->selection->chunk_elements == training.selection->chunk_elements;
  refuse(real && training.selection->share < 1 && !known, "/selection/chunk_share",
         "the first step has no norms to choose chunks by: begin with a warm-up phase of chunk_share 1");
}

void check_training(const Scenario& scenario, std::size_t phase, const std::string& at, Violations& found) {
  const TrainingSpec& training = scenario.phases[phase].training;
  check_exchange(scenario, training.exchange, at + "/exchange", found);
  check_sharded(scenario, training, at, found);
  check_calls(scenario, training, at, found);
  check_tensors(scenario, training, at + "/compression", found);
  check_codec(training, at + "/compression", found);
  check_placement(scenario, training, at + "/compression", found);
  check_left_out(scenario, training, at + "/compression", found);
  check_selection(scenario, phase, at, found);
  check_elements(scenario.workload, training, at, found);
  if (!pulls(collective(training.exchange.algorithm)) && training.compression.push != training.compression.pull)
    found.push_back({at + "/compression/legs", fmt::format("only algorithm {} can compress one leg without the other; "
                                                           "write [\"push\", \"pull\"] or leave \"legs\" out",
                                                           collective_names(pulls))});
  if (training.granularity.kind == Granularity::Kind::segments &&
      training.granularity.segments > scenario.workload.elements())
    found.push_back({at + "/granularity/segments",
                     fmt::format("{} segments are too many for a model of {} elements: each segment needs at least one",
                                 training.granularity.segments, scenario.workload.elements())});
}

void check_phases(const Scenario& scenario, const std::string& at, Violations& found) {
  for (std::size_t i = 0; i + 1 < scenario.phases.size(); ++i)
    check_training(scenario, i, fmt::format("{}/warmup/{}", at, i), found);
  check_training(scenario, scenario.phases.size() - 1, at, found);
}

/// Checks the names, GPUs, and each job separately.
void check_jobs(const Scenario& scenario, Violations& found) {
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j)
    for (std::size_t other = 0; other < j; ++other) {
      if (scenario.jobs[j].name != scenario.jobs[other].name) continue;
      found.push_back({fmt::format("/jobs/{}/name", j), fmt::format("job {} has the same name", other)});
      break;
    }
  PlacedJobs placed = place_jobs(scenario);
  for (JobMistake& mistake : placed.mistakes)
    found.push_back({fmt::format("/jobs/{}{}{}", mistake.job, mistake.key.empty() ? "" : "/", mistake.key),
                     std::move(mistake.message)});
  if (!placed.mistakes.empty()) return;
  Scenario one = scenario;
  one.jobs.clear();
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    one.workload = scenario.jobs[j].workload;
    one.phases = scenario.jobs[j].phases;
    one.seat.emplace().gpus = std::move(placed.gpus[j]);
    check_phases(one, fmt::format("/jobs/{}/training", j), found);
  }
}

/// Checks a list of jobs that wait for GPUs. Each is simulated alone, and equal jobs are simulated once.
void check_queue(const Scenario& scenario, Violations& found) {
  const auto refuse = [&](bool wrong, const char* at, const char* why) {
    if (wrong) found.push_back({at, why});
  };
  refuse(!scenario.traffic.empty(), "/traffic",
         "a list of jobs cannot have other traffic, because the iterations of its jobs repeat: leave \"traffic\" out, "
         "or list the \"jobs\" one by one");
  refuse(!scenario.changes.empty(), "/changes",
         "a list of jobs cannot have changes, because the iterations of its jobs repeat: leave \"changes\" out, or "
         "list the \"jobs\" one by one");
  refuse(scenario.failures.has_value(), "/failures",
         "a list of jobs cannot have failures: leave \"failures\" or \"jobs\" out");
  refuse(scenario.platform.jitter.has_value(), "/platform/jitter",
         "a list of jobs cannot have jitter, because equal jobs are simulated once: leave it out, or list the \"jobs\" "
         "one by one");
  refuse(scenario.engine.kind == EngineKind::simgrid, "/engine", "a list of jobs needs engine \"hybrid\"");
  refuse(scenario.phases.size() > 1, "/training/warmup", "jobs of a list have one phase: leave \"warmup\" out");
  refuse(!scenario.phases.back().training.compression.tensors.directory.empty(), "/training/compression/tensors",
         "a list of jobs cannot use real tensors: give a \"ratio\"");
  refuse(scenario.queue->placement == JobPlacement::by_rack && nodes_per_rack(scenario.platform) == 0,
         "/jobs/placement",
         "\"by_rack\" needs a network with racks: topology \"racks\", \"fat_tree\" or \"dragonfly\"");
  if (!found.empty()) return;
  std::map<int, std::size_t> first; // GPU count to the first job with it
  for (std::size_t j = 0; j < scenario.queue->list.size(); ++j) first.try_emplace(scenario.queue->list[j].gpus, j);
  const int gpus = scenario.platform.nodes * scenario.platform.gpus_per_node;
  for (const auto& [count, job] : first) {
    if (count > gpus) continue; // reported where the list is read
    Scenario one = scenario;
    one.queue.reset();
    one.seat.emplace().gpus.resize(static_cast<std::size_t>(count));
    Violations of_it;
    check_phases(one, "/training", of_it);
    const ExchangeSpec& exchange = scenario.phases.back().training.exchange;
    if (!(has_servers(exchange) && exchange.colocated) && helper_count(exchange, count) > 0)
      of_it.push_back({"/training/exchange", "jobs of a list have no extra nodes: servers need \"colocated\": true, "
                                             "and masters must be members of their groups"});
    for (Violation& violation : of_it) {
      violation.message += fmt::format(" (job {}, with {} GPUs)", scenario.queue->list[job].name, count);
      found.push_back(std::move(violation));
    }
  }
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

std::vector<Violation> check_cluster(const Scenario& scenario) {
  auto found = check_platform(scenario.platform, "/platform");
  if (scenario.platform.protocol && scenario.engine.kind == EngineKind::simgrid)
    found.push_back(
        {"/platform/protocol",
         "the reference engine does not model protocols: leave \"protocol\" out, or use engine \"hybrid\""});
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i)
    for (const auto& [key, end] : {std::pair("from", &scenario.traffic[i].from), {"to", &scenario.traffic[i].to}})
      if (end->outside && scenario.engine.kind == EngineKind::simgrid)
        found.push_back({fmt::format("/traffic/{}/{}", i, key),
                         "the reference engine does not support \"outside\": name nodes, or use engine \"hybrid\""});
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i)
    if (scenario.traffic[i].rate && scenario.engine.kind == EngineKind::simgrid)
      found.push_back(
          {fmt::format("/traffic/{}/rate", i),
           "the reference engine cannot limit the rate of a flow: leave \"rate\" out, or use engine \"hybrid\""});
  for (std::size_t i = 0; i < scenario.changes.size(); ++i) {
    const ChangeSpec& change = scenario.changes[i];
    const bool links = !change.gpu;
    if (change.up && links && scenario.engine.kind == EngineKind::simgrid)
      found.push_back({fmt::format("/changes/{}/state", i), "the reference engine does not resume messages of a failed "
                                                            "link: leave \"state\" out, or use engine \"hybrid\""});
  }
  return found;
}

std::vector<Violation> check_scenario(const Scenario& scenario) {
  auto found = check_cluster(scenario);
  check_failures(scenario, found);
  if (std::int64_t{scenario.platform.nodes} * scenario.platform.gpus_per_node > max_ranks) return found;
  if (scenario.queue)
    check_queue(scenario, found);
  else if (scenario.jobs.empty())
    check_phases(scenario, "/training", found);
  else
    check_jobs(scenario, found);
  return found;
}

} // namespace gradflight
