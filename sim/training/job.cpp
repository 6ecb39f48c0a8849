#include "sim/training/job.hpp"

#include "models/schedules/algorithms/sharded.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/training/call_programs.hpp"
#include "sim/training/programs.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {

std::optional<JobCalls> calls_of(const Scenario& scenario, const TrainingSpec& training, const Platform& platform,
                                 const std::vector<Bucket>& buckets) {
  if (caller_of(training.exchange) == nullptr) return std::nullopt;
  return JobCalls(scenario, platform, training, buckets);
}

std::span<const std::int32_t> switches_of(const std::optional<JobCalls>& calls) {
  return calls ? std::span<const std::int32_t>(calls->switch_places) : std::span<const std::int32_t>();
}

int member_of_calls(const JobCalls& calls, const RankLayout& ranks, int rank) {
  return ranks.is_helper(rank) || calls.by_rank ? rank : ranks.place(rank);
}

std::vector<int> ranks_of_members(const std::optional<JobCalls>& calls, const RankLayout& ranks) {
  std::vector<int> of_members(calls ? static_cast<std::size_t>(ranks.size()) : 0);
  for (int rank = 0; rank < std::ssize(of_members); ++rank)
    of_members[static_cast<std::size_t>(member_of_calls(*calls, ranks, rank))] = rank;
  return of_members;
}

std::vector<HostWork> work_of_iteration(const TrainingSpec& training, const Workload& workload) {
  double tensors = 0;
  for (const Layer& layer : workload.layers) tensors += static_cast<double>(layer.tensors.size());
  const auto elements = static_cast<double>(workload.elements());
  std::vector<HostWork> work;
  for (std::size_t c = 0; c < training.costs.size(); ++c)
    if (const CostSpec& cost = training.costs[c]; cost.at == CostHook::iteration)
      work.push_back({resource_of(cost.on), static_cast<int>(c),
                      cost.rates().vector_seconds(elements, tensors, workload.bytes())});
  return work;
}

bool is_of_messages(const CostSpec& cost) {
  return cost.at == CostHook::message_send || cost.at == CostHook::message_receive;
}

} // namespace

Job::Job(const Scenario& scenario, const Phase& phase, const Platform& platform)
    : training(phase.training), workload(scenario.workload),
      buckets(exchange_buckets(workload, training), workload, training),
      calls(calls_of(scenario, training, platform, buckets.all())),
      ranks(scenario, training.exchange, platform, switches_of(calls)), rank_of_member(ranks_of_members(calls, ranks)),
      weights(scenario.platform, workload, training, buckets.all(), buckets.plans()),
      tasks(training, buckets, workload.layers.size(), ranks.workers(), calls.has_value()),
      per_iteration(work_of_iteration(training, workload)), parameter_server(has_servers(training.exchange)),
      model_elements_(static_cast<double>(workload.elements())),
      merge_seconds_per_byte_(training.exchange.merge_bandwidth ? 1 / training.exchange.merge_bandwidth->value() : 0),
      message_costs_(std::ranges::any_of(training.costs, is_of_messages)),
      pull_at_first_use_(pulls_at_first_use(training.exchange)), jitter_(scenario.platform.jitter),
      phase_(static_cast<int>(&phase - scenario.phases.data())),
      ranks_before_(scenario.seat ? scenario.seat->ranks_before : 0) {}

int Job::member_of(int rank) const { return member_of_calls(*calls, ranks, rank); }

void Job::lay_step(StepOp& op, const Task& task, int rank, const Step& step) const {
  op.bucket = task.bucket;
  op.lag = task.schedule->lag();
  op.name = task.parameters ? buckets.size() : 0;
  op.codec = codec_resource(rank);
  op.encoded = false;
  op.encode_seconds = op.combine_seconds = 0;
  if (step.to != no_rank) {
    const CompressionSpec& c = training.compression;
    const bool pull = parameter_server && !ranks.is_helper(step.to);
    // Messages inside the node do not pass the NIC.
    op.encoded = c.encodes(pull || task.parameters) && !buckets[task.bucket].norms &&
                 !(c.in_nic() && ranks.node(rank) == ranks.node(step.to));
    if (op.encoded && c.in_software()) {
      const bool apart = ranks.place(rank) != ranks.place(step.to);
      // Relays of a pull forward the server's bytes unchanged, and a colocated server's own worker is the first relay.
      const bool relayed = pull && training.exchange.pull == Pull::binomial && ranks.workers() > 1;
      const bool encodes = pull ? ranks.is_helper(rank) && (apart || relayed) : apart;
      if (encodes) op.encode_seconds = weights.payload(task.bucket, step.out) * c.encode_seconds();
    }
  }
  if (step.from != no_rank && step.combine != Combine::take) {
    const double received = weights.payload(task.bucket, step.in);
    op.combine_seconds = received * (step.combine == Combine::reduce ? ranks.gamma(rank) : merge_seconds_per_byte_);
  }
  op.transfer = step; // last: a processor stalls if it copies, in wider pieces, what it has just written
}

double Job::shard(int rank) const {
  const int members = ShardGroups(training.exchange.sharded, ranks.workers()).members;
  std::int64_t own = 0;
  for (const Bucket& bucket : buckets.all()) own += Blocks(bucket.elements, members).range(rank % members).count;
  return static_cast<double>(own) / model_elements_;
}

WorkOp Job::update_op(int rank, int bucket, std::int64_t elements, std::int64_t iteration) const {
  const double nominal = workload.update * static_cast<double>(elements) / model_elements_;
  const bool own_node = ranks.is_helper(rank) && !training.exchange.colocated;
  return {Resource::cpu,         Part::update, Activity::update, bucket, iteration, nominal * ranks.slowness(rank),
          own_node ? 0 : nominal};
}

std::vector<HostWork> Job::message_work(CostHook hook, int bucket, Range range) const {
  const double payload = weights.payload(bucket, range);
  const double width = buckets.plan(bucket).element_bytes;
  std::vector<HostWork> work;
  for (std::size_t c = 0; c < training.costs.size(); ++c) {
    const CostSpec& cost = training.costs[c];
    if (cost.at != hook) continue;
    work.push_back({resource_of(cost.on), static_cast<int>(c), cost.rates().message_seconds(1, payload, width)});
  }
  return work;
}

std::optional<int> Job::lane_of(int stream) const {
  const int lane = stream - 2 * streams() - 1;
  return calls && lane >= 0 ? std::optional(lane % calls->lanes) : std::nullopt;
}

std::string Job::stream_name(int stream) const {
  if (stream == 0) return "compute";
  if (stream <= streams()) return fmt::format("comm{}", stream - 1);
  if (stream <= 2 * streams()) return fmt::format("launch{}", stream - streams() - 1);
  return fmt::format("lane{}.{}", (stream - 2 * streams() - 1) / calls->lanes, *lane_of(stream));
}

std::unique_ptr<Program> Job::program(int rank, int stream) const {
  if (stream == 0) {
    if (ranks.is_helper(rank)) return nullptr;
    if (tasks.sharded() != nullptr) return std::make_unique<ShardedComputeProgram>(*this, rank);
    return std::make_unique<ComputeProgram>(*this, rank);
  }
  if (calls) return call_program(*this, rank, stream);
  if (reactive(training.exchange) && ranks.is_helper(rank))
    return std::make_unique<ReactiveServerProgram>(*this, rank, stream);
  return std::make_unique<ExchangeProgram>(*this, rank, stream);
}

} // namespace gradflight
