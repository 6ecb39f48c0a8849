#include "sim/training/job.hpp"

#include "models/schedules/algorithms/sharded.hpp"
#include "models/schedules/make_schedule.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/training/call_programs.hpp"
#include "sim/training/programs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace gradflight {

namespace {
std::vector<BucketPlan> plan_buckets(const Workload& workload, const TrainingSpec& training,
                                     const std::vector<Bucket>& buckets) {
  std::vector<BucketPlan> plans;
  for (const Bucket& bucket : buckets)
    plans.push_back(plan_bucket(bucket, training, {static_cast<double>(workload.elements()), workload.bytes()}));
  return plans;
}

std::optional<JobCalls> calls_of(const Scenario& scenario, const TrainingSpec& training, const Platform& platform,
                                 const std::vector<Bucket>& buckets) {
  if (caller_of(training.exchange) == nullptr) return std::nullopt;
  return JobCalls(scenario, platform, training, buckets);
}
} // namespace

Job::Job(const Scenario& scenario, const Phase& phase, const Platform& platform)
    : training(phase.training), workload(scenario.workload), buckets(exchange_buckets(workload, training)),
      plans(plan_buckets(workload, training, buckets)), calls(calls_of(scenario, training, platform, buckets)),
      ranks(scenario, training.exchange, platform,
            calls ? std::span<const std::int32_t>(calls->switch_places) : std::span<const std::int32_t>()),
      weights(scenario.platform, workload, training, buckets, plans), jitter_(scenario.platform.jitter),
      phase_(static_cast<int>(&phase - scenario.phases.data())),
      ranks_before_(scenario.seat ? scenario.seat->ranks_before : 0) {
  const ExchangeSpec& x = training.exchange;
  parameter_server = has_servers(x);
  reactive = gradflight::reactive(x);
  pull_at_first_use = parameter_server && x.pull_at == PullAt::first_use;
  depth = training.overlap.kind == OverlapKind::pipelined ? training.overlap.k : 1;
  wait_free = training.overlap.kind != OverlapKind::none;
  if (x.merge_bandwidth) merge_seconds_per_byte = 1 / x.merge_bandwidth->value();
  elements_total = static_cast<double>(workload.elements());
  for (const Phase* before = scenario.phases.data(); before != &phase; ++before)
    exchanges_before += before->training.iterations / before->training.every;

  if (training.selection) chunks = std::make_unique<ChunkSteps>(workload, training);
  order_buckets();
  order_tasks();
}

void Job::order_buckets() {
  layer_buckets.resize(workload.layers.size());
  first_use.resize(workload.layers.size());
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const Bucket& bucket = buckets[b];
    layer_buckets[static_cast<std::size_t>(bucket.ready_layer)].push_back(static_cast<int>(b));
    first_use[static_cast<std::size_t>(bucket.first_use)].push_back(static_cast<int>(b));
  }
  for (std::size_t c = 0; c < training.costs.size(); ++c) {
    const CostSpec& cost = training.costs[c];
    message_costs_ = message_costs_ || cost.at == CostHook::message_send || cost.at == CostHook::message_receive;
    if (cost.at != CostHook::iteration) continue;
    double tensors = 0;
    for (const Layer& layer : workload.layers) tensors += static_cast<double>(layer.tensors.size());
    per_iteration.push_back({resource_of(cost.on), static_cast<int>(c),
                             cost.rates().vector_seconds(elements_total, tensors, workload.bytes())});
  }
}

void Job::order_tasks() {
  const ExchangeSpec& x = training.exchange;
  const auto count = static_cast<std::size_t>(streams());
  stream_tasks.resize(count);
  finish.resize(buckets.size());
  signals = std::ssize(buckets);
  if (is_sharded(x)) {
    for (const ShardedLeg leg : {ShardedLeg::scatter, ShardedLeg::gather})
      schedules_.push_back(calls ? nullptr : make_sharded(x, ranks.workers(), leg));
    sharded.emplace(training, buckets, static_cast<int>(workload.layers.size()), schedules_[0].get(),
                    schedules_[1].get());
    stream_tasks = sharded->last.tasks;
    signals = sharded->signals_in_step;
    return;
  }
  const auto add = [&](std::size_t b, const Schedule* schedule, bool first, bool last) {
    auto& tasks = stream_tasks[b % count];
    const std::int64_t ready = first ? static_cast<std::int64_t>(b) + 1 : 0;
    tasks.push_back({static_cast<int>(b), schedule, first, last, ready, false});
    if (last) finish[b] = {static_cast<int>(b % count) + 1, static_cast<std::int64_t>(tasks.size())};
  };
  if (!pull_at_first_use) {
    schedules_.push_back(calls ? nullptr : make_schedule(x, ranks.workers()));
    for (std::size_t b = 0; b < buckets.size(); ++b) add(b, schedules_[0].get(), true, true);
    return;
  }
  schedules_.push_back(make_push_schedule(x, ranks.workers()));
  schedules_.push_back(make_pull_schedule(x, ranks.workers()));
  for (std::size_t b = 0; b < buckets.size(); ++b) add(b, schedules_[0].get(), true, false);
  std::vector<std::size_t> forward(buckets.size());
  std::iota(forward.begin(), forward.end(), 0);
  std::reverse(forward.begin(), forward.end());
  std::stable_sort(forward.begin(), forward.end(),
                   [&](std::size_t a, std::size_t b) { return buckets[a].first_use < buckets[b].first_use; });
  for (const std::size_t b : forward) add(b, schedules_[1].get(), false, true);
}

void Job::lay_step(StepOp& op, const Task& task, int rank, const Step& step) const {
  op.bucket = task.bucket;
  op.lag = task.schedule->lag();
  op.name = task.parameters ? static_cast<int>(buckets.size()) : 0;
  op.codec = codec_resource(rank);
  op.encoded = false;
  op.encode_seconds = op.combine_seconds = 0;
  if (step.to != nobody) {
    const CompressionSpec& c = training.compression;
    const bool pull = parameter_server && !ranks.is_helper(step.to);
    // Messages inside the node do not pass the NIC.
    op.encoded = c.encodes(pull || task.parameters) && !buckets[static_cast<std::size_t>(task.bucket)].norms &&
                 !(c.in_nic() && ranks.node(rank) == ranks.node(step.to));
    if (op.encoded && c.in_software()) {
      const bool apart = ranks.place(rank) != ranks.place(step.to);
      // Relays of a pull forward the server's bytes unchanged, and a colocated server's own worker is the first relay.
      const bool relayed = pull && training.exchange.pull == Pull::binomial && ranks.workers() > 1;
      const bool encodes = pull ? ranks.is_helper(rank) && (apart || relayed) : apart;
      if (encodes) op.encode_seconds = weights.payload(task.bucket, step.out) * c.encode_seconds();
    }
  }
  if (step.from != nobody && step.combine != Combine::take) {
    const double received = weights.payload(task.bucket, step.in);
    op.combine_seconds = received * (step.combine == Combine::reduce ? ranks.gamma(rank) : merge_seconds_per_byte);
  }
  op.transfer = step; // last: a processor stalls if it copies, in wider pieces, what it has just written
}

double Job::shard(int rank) const {
  const int members = ShardGroups(training.exchange.sharded, ranks.workers()).members;
  std::int64_t own = 0;
  for (const Bucket& bucket : buckets) own += Blocks(bucket.elements, members).range(rank % members).count;
  return static_cast<double>(own) / elements_total;
}

WorkOp Job::update_op(int rank, int bucket, std::int64_t elements, std::int64_t iteration) const {
  const double nominal = workload.update * static_cast<double>(elements) / elements_total;
  const bool own_node = ranks.is_helper(rank) && !training.exchange.colocated;
  return {Resource::cpu,         Part::update, Activity::update, bucket, iteration, nominal * ranks.slowness(rank),
          own_node ? 0 : nominal};
}

std::vector<HostWork> Job::message_work(CostHook hook, int bucket, Range range) const {
  const double payload = weights.payload(bucket, range);
  const double width = plans[static_cast<std::size_t>(bucket)].element_bytes;
  std::vector<HostWork> work;
  for (std::size_t c = 0; c < training.costs.size(); ++c) {
    const CostSpec& cost = training.costs[c];
    if (cost.at != hook) continue;
    work.push_back({resource_of(cost.on), static_cast<int>(c), cost.rates().message_seconds(1, payload, width)});
  }
  return work;
}

std::string Job::stream_name(int stream) const {
  if (stream == 0) return "compute";
  if (stream <= streams()) return fmt::format("comm{}", stream - 1);
  if (stream <= 2 * streams()) return fmt::format("launch{}", stream - streams() - 1);
  const int lane = stream - 2 * streams() - 1;
  return fmt::format("lane{}.{}", lane / calls->lanes, lane % calls->lanes);
}

std::unique_ptr<Program> Job::program(int rank, int stream) const {
  if (stream == 0) {
    if (ranks.is_helper(rank)) return nullptr;
    if (sharded) return std::make_unique<ShardedComputeProgram>(*this, rank);
    return std::make_unique<ComputeProgram>(*this, rank);
  }
  if (calls) return call_program(*this, rank, stream);
  if (reactive && ranks.is_helper(rank)) return std::make_unique<ReactiveServerProgram>(*this, rank, stream);
  return std::make_unique<ExchangeProgram>(*this, rank, stream);
}

} // namespace gradflight
