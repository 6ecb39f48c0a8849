// What an execution leaves behind: the result, the timeline's records, or who waits for what.
#include "sim/engine/executor.hpp"

#include <cmath>
#include <fmt/format.h>

namespace gradflight {

void Executor::record(const Stream& stream, Activity activity, int label, std::int64_t iteration, double begin,
                      double end) {
  Timeline* t = options_.timeline;
  if (t == nullptr) return;
  if (t->intervals.size() + t->transfers.size() >= t->limit) {
    t->truncated = true;
    return;
  }
  if (activity == Activity::cost)
    label += first_cost_name_;
  else if (activity == Activity::reduce || activity == Activity::merge || activity == Activity::encode ||
           activity == Activity::decode)
    label += first_bucket_name_;
  t->intervals.push_back({stream.rank, stream.index, activity, label, iteration, begin, end});
}

/// Each phase has buckets and costs of its own; their names follow those of the phases before.
void Executor::name_records() {
  Timeline* t = options_.timeline;
  if (t == nullptr) return;
  if (t->link_names.empty()) {
    for (const auto* links : {&platform_.links(), &nics_.stages()})
      for (const DirectedLink& link : *links) {
        t->link_names.push_back(link.name);
        t->link_bandwidths.push_back(link.bandwidth);
      }
    for (const Layer& layer : job_->workload.layers) t->layer_names.push_back(layer.name);
  }
  for (int rank = static_cast<int>(t->rank_names.size()); rank < job_->ranks; ++rank) {
    const Place& place = platform_.places()[static_cast<std::size_t>(place_of(rank))];
    const char* role = !job_->is_helper(rank) ? "rank" : job_->parameter_server ? "server, rank" : "aggregator, rank";
    const std::string gpu = place.gpu < 0 ? "" : fmt::format(" GPU {}", place.gpu);
    t->rank_names.push_back(fmt::format("{} {} (node {}{})", role, rank, place.node, gpu));
  }
  first_bucket_name_ = static_cast<int>(t->bucket_names.size());
  for (const Bucket& bucket : job_->buckets) t->bucket_names.push_back(bucket.name);
  first_cost_name_ = static_cast<int>(t->cost_names.size());
  for (const CostSpec& cost : job_->training.costs) t->cost_names.push_back(cost.name);
}

void Executor::record(const Message& m, double now) {
  Timeline* t = options_.timeline;
  if (t == nullptr) return;
  if (t->intervals.size() + t->transfers.size() >= t->limit) {
    t->truncated = true;
    return;
  }
  const Stream& to = streams_[m.to_stream];
  t->transfers.push_back(
      {m.from, to.rank, to.index, m.bucket + first_bucket_name_, m.iteration, m.posted, m.begun, now, m.wire});
  if (m.wire <= 0 || now - m.tail <= m.begun) return;
  const double end = now - m.tail, rate = m.wire / (end - m.begun);
  const auto note = [&](std::int32_t link, double weight) {
    t->links.push_back({link, m.begun, weight * rate});
    t->links.push_back({link, end, -weight * rate});
  };
  for (const std::int32_t l : m.links) note(l, 1);
  for (const LinkShare& share : m.shares) note(share.link, share.weight);
}

std::string Executor::waiting_for(std::uint32_t s) const {
  const Stream& stream = streams_[s];
  switch (stream.stage) {
  case Stage::receiving: {
    const StepOp& op = stream.step();
    const std::string from = op.transfer.from == anyone ? "any rank" : fmt::format("rank {}", op.transfer.from);
    if (op.tag == any_tag) return fmt::format("a request from {}", from);
    return fmt::format("a message from {} (bucket {} of iteration {}, step {})", from, op.bucket, op.iteration,
                       op.step);
  }
  case Stage::sending: {
    const StepOp& op = stream.step();
    return fmt::format("its {} message(s) to arrive, the last to rank {} (bucket {} of iteration {}, step {})",
                       stream.unsent, op.transfer.to, op.bucket, op.iteration, op.step);
  }
  case Stage::counting: {
    const auto& op = std::get<WaitOp>(stream.op);
    return op.stream == 0 ? fmt::format("gradient {} of its computation", op.value)
                          : fmt::format("exchange {} of its communication stream {}", op.value, op.stream - 1);
  }
  case Stage::meeting: {
    const auto& op = std::get<BarrierOp>(stream.op);
    return fmt::format("the other workers at the barrier (bucket {} of iteration {})", op.bucket, op.iteration);
  }
  case Stage::asking: return "its rank's codec or reducer";
  case Stage::lagging: return "an earlier reduction";
  default: break;
  }
  if (const auto* op = std::get_if<CollectiveOp>(&stream.op))
    return fmt::format("the end of a ring all-reduce (bucket {} of iteration {})", op->bucket, op->iteration);
  return "the end of its work";
}

void Executor::fail(const std::string& what) const {
  std::vector<Blocked> blocked;
  std::int64_t count = 0;
  for (std::uint32_t s = 0; s < streams_.size(); ++s) {
    if (streams_[s].stage == Stage::ended) continue;
    if (++count > 64) continue;
    blocked.push_back({streams_[s].rank,
                       streams_[s].index == 0 ? "compute" : fmt::format("comm{}", streams_[s].index - 1),
                       waiting_for(s)});
  }
  SimulationFailure failure(what, std::move(blocked));
  failure.blocked_count = count;
  throw failure;
}

RunResult Executor::finish() {
  if (!over_) {
    if (ended_ < streams_.size() || phase_ + 1 < scenario_.phases.size())
      fail(fmt::format("deadlock at {} s: {} of {} streams have not ended", end_, streams_.size() - ended_,
                       streams_.size()));
    if (accounts_.received_bytes != accounts_.wire_bytes &&
        std::abs(accounts_.received_bytes - accounts_.wire_bytes) > 1e-9 * accounts_.wire_bytes)
      fail(fmt::format("{} bytes were sent but {} received", accounts_.wire_bytes, accounts_.received_bytes));
    if (messages_.in_use() > 0) fail(fmt::format("{} messages were never received", messages_.in_use()));
  }
  close_data();
  RunResult result;
  result.data = data_result_;
  accounts_.fill(result, end_);
  result.time = end_;
  result.path = end_path_;
  for (const auto* links : {&platform_.links(), &nics_.stages()})
    for (const DirectedLink& link : *links) {
      const LinkUse& use = ledger_.use()[result.links.size()];
      const double open = use.transfers > 0 ? end_ - use.since : 0; // left behind by late backup workers
      result.links.push_back({link.name, use.bytes, use.busy + open, link.bandwidth});
    }
  return result;
}

} // namespace gradflight
