#include "sim/training_plans.hpp"

#include "models/schedules/parts/collective.hpp"

#include <algorithm>

namespace gradflight {
namespace {

/// Returns the pace of workers that do not wait for each other. The first half of the run lets their messages spread
/// over time. With bounded staleness, the fastest worker also runs ahead until it is at the bound.
std::optional<OwnPace> own_pace(const TrainingSpec& training) {
  const ExchangeSpec& exchange = training.exchange;
  if (!has_servers(exchange) || exchange.consistency == Consistency::synchronous) return std::nullopt;
  const std::int64_t cycle = training.every <= training.iterations ? training.every : 1; // else nothing is exchanged
  const std::int64_t cycles = training.iterations / cycle, half = cycles / 2, at_bound = exchange.staleness_bound + 1;
  const bool reached = exchange.consistency == Consistency::bounded_staleness && at_bound < cycles;
  return OwnPace{cycle, cycle * (reached ? std::max(half, at_bound) : half)};
}

} // namespace

TrainingPlan::TrainingPlan(const Scenario& scenario, const Phase& phase, const Platform& platform,
                           ChunkData::Memory memory)
    : job_(scenario, phase, platform),
      name_(scenario.seat && scenario.seat->several ? scenario.seat->name + ": " : std::string()) {
  const int backup = job_.training.exchange.backup_workers;
  shape_.place = job_.ranks.places();
  shape_.streams = job_.plan_streams();
  shape_.exchanging = job_.calls ? job_.streams() * job_.calls->lanes : job_.streams();
  shape_.members = job_.ranks.workers();
  shape_.workers = job_.ranks.workers();
  shape_.quorum = job_.ranks.workers() - backup;
  shape_.iterations = job_.training.iterations;
  shape_.own_pace = own_pace(job_.training);
  shape_.leaves_late = backup > 0;
  shape_.local_steps = job_.training.every > 1;
  shape_.named_senders = !has_servers(job_.training.exchange);
  shape_.weighs_routes = job_.calls.has_value() || job_.training.compression.in_nic();
  shape_.contents = !job_.training.compression.tensors.directory.empty();
  if (!shape_.contents) return;
  std::int64_t exchanges_before = 0;
  for (const Phase* before = scenario.phases.data(); before != &phase; ++before)
    exchanges_before += before->training.iterations / before->training.every;
  data_.emplace(job_, exchanges_before, std::move(memory));
  job_.choose_buckets(data_->chosen());
}

PlanNames TrainingPlan::names() const {
  PlanNames names;
  for (const Layer& layer : job_.workload.layers) names.layers.push_back(layer.name);
  for (const Bucket& bucket : job_.buckets.all()) names.buckets.push_back(bucket.name);
  if (job_.tasks.sharded() != nullptr)
    for (const Bucket& bucket : job_.buckets.all()) names.buckets.push_back(bucket.name + " parameters");
  for (const CostSpec& cost : job_.training.costs) names.costs.push_back(cost.name);
  if (job_.calls) names.costs.emplace_back("launch of a call");
  for (int rank = 0; rank < job_.ranks.size(); ++rank)
    names.roles.push_back(name_ + (!job_.ranks.is_helper(rank) ? "rank"
                                   : job_.parameter_server     ? "server, rank"
                                   : job_.calls                ? "switch, rank"
                                                               : "aggregator, rank"));
  return names;
}

void TrainingPlan::weigh(const StepOp& op, int rank, std::uint32_t message, double bandwidth, Weight& weight) {
  const double encoded = data_ ? data_->send(op, rank, message) : job_.weights.encoded(op);
  job_.weigh(op, rank, encoded, bandwidth, weight);
}

std::int64_t TrainingPlan::dropped_gradients() const {
  const ExchangeSpec& exchange = job_.training.exchange;
  std::int64_t gradients = 0; // of a worker for each server
  for (const auto& tasks : job_.tasks.last_round()) gradients += std::ssize(tasks);
  return job_.exchanges(job_.training.iterations) * gradients * exchange.servers * exchange.backup_workers;
}

void TrainingPlan::signalled(const SignalOp& op, int rank, int stream) {
  if (stream > 0) data_->finished(rank, op.bucket, op.iteration);
}

Plan* TrainingPlans::next() {
  if (last()) return nullptr;
  ChunkData::Memory memory = close_data();
  plan_.reset();
  plan_ = std::make_unique<TrainingPlan>(scenario_, scenario_.phases[begun_++], platform_, std::move(memory));
  dropped_gradients_ += plan_->dropped_gradients();
  return plan_.get();
}

bool TrainingPlans::through_nics() const {
  return std::ranges::any_of(scenario_.phases, [](const Phase& p) { return p.training.compression.in_nic(); });
}

/// Takes the result of the phase's tensors; returns the state with which the next phase continues.
ChunkData::Memory TrainingPlans::close_data() {
  DataPlane* data = plan_ ? plan_->data() : nullptr;
  if (data == nullptr) return {};
  data_result_ = data->finish();
  std::int64_t before = 0; // iterations of earlier phases
  for (std::size_t phase = 0; phase + 1 < begun_; ++phase) before += scenario_.phases[phase].training.iterations;
  for (LegBytes& step : data_result_->steps) step.iteration += before;
  return data->take_memory();
}

RunResult TrainingPlans::own_result(RunResult own) {
  close_data();
  own.data = std::move(data_result_);
  own.dropped_gradients = dropped_gradients_;
  return own;
}

RunResult TrainingPlans::result(PlansResult run) {
  RunResult result = own_result(std::move(run.plans.front()));
  result.links = std::move(run.links);
  result.traffic = std::move(run.traffic);
  return result;
}

} // namespace gradflight
