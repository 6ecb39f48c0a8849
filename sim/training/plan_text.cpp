#include "sim/training/plan_text.hpp"

#include "base/human.hpp"
#include "models/schedules/make_schedule.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/training/job.hpp"

#include <fmt/format.h>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

namespace gradflight {

namespace {

const char* resource_name(Resource r) {
  switch (r) {
  case Resource::gpu: return "GPU";
  case Resource::cpu: return "CPU";
  case Resource::pcie: return "PCIe";
  case Resource::reducer: return "reducer";
  }
  return "";
}

std::string count(std::int64_t n, const char* thing) { return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s"); }

std::string peer(int rank) { return rank == anyone ? "any rank" : fmt::format("rank {}", rank); }

/// For a vector of n elements: a range past its end continues at its beginning (shards.hpp).
std::string range(const Range& r, const char* unit, std::int64_t n) {
  const std::int64_t end = r.first + r.count;
  if (end > n) return fmt::format("{}[{}, {}) and [0, {})", unit, r.first, n, end - n);
  return fmt::format("{}[{}, {})", unit, r.first, end);
}

/// What a lane's messages contain. Steps of lanes themselves have only counts.
class LaneContents {
public:
  LaneContents(const Job& job, int rank, int lane) : job_(job), member_(job.member_of(rank)), lane_(lane) {}

  [[nodiscard]] std::string sent(const StepOp& op) const { return text(op, member_, op.step, op.transfer.out.count); }
  /// The sender's message with the same number among those to this member.
  [[nodiscard]] std::string received(const StepOp& op) const {
    const GroupSchedule& schedule = schedule_of(op);
    const int sender = schedule.step(lane_, member_, op.step).step.from;
    std::int64_t before = op.transfer.in.first;
    for (std::int64_t i = 0, steps = schedule.steps(lane_, sender); i < steps; ++i)
      if (schedule.step(lane_, sender, i).step.to == member_ && before-- == 0)
        return text(op, sender, i, op.transfer.in.count);
    throw std::logic_error("every message that is received must be sent");
  }

private:
  [[nodiscard]] const GroupSchedule& schedule_of(const StepOp& op) const {
    return *job_.calls->call_of(op.bucket, op.name > 0).schedule;
  }
  [[nodiscard]] std::string text(const StepOp& op, int member, std::int64_t index, std::int64_t count) const {
    constexpr std::size_t shown = 4;
    std::vector<Piece> pieces, joined;
    if (count > 0) schedule_of(op).contents(lane_, member, index, pieces);
    for (const Piece& piece : pieces) {
      Piece* last = joined.empty() ? nullptr : &joined.back();
      const bool follows = last != nullptr && last->source == piece.source && last->target == piece.target &&
                           last->range.first + last->range.count == piece.range.first;
      if (follows)
        last->range.count += piece.range.count;
      else if (piece.range.count > 0)
        joined.push_back(piece);
    }
    if (joined.empty()) return "no elements";
    std::string text = "elements ";
    for (std::size_t i = 0; i < std::min(joined.size(), shown); ++i)
      text += (i > 0 ? ", " : "") + piece_text(joined[i]);
    if (joined.size() > shown) text += fmt::format(" and {} more ranges", joined.size() - shown);
    return text;
  }

  [[nodiscard]] std::string piece_text(const Piece& piece) const {
    const auto rank_of = [this](int member) { return job_.rank_of_member[static_cast<std::size_t>(member)]; };
    const std::string text = fmt::format("[{}, {})", piece.range.first, piece.range.first + piece.range.count);
    if (piece.source != no_rank && piece.target != no_rank)
      return text + fmt::format(" from rank {} for rank {}", rank_of(piece.source), rank_of(piece.target));
    const int owner = std::max(piece.source, piece.target);
    return owner == no_rank ? text : text + fmt::format(" of rank {}'s block", rank_of(owner));
  }

  const Job& job_;
  int member_, lane_;
};

/// Returns the weight as MessageWeights decides it when the message is sent, or why it is unknown before.
std::string weight_text(const Job& job, const Platform& platform, int rank, const StepOp& op) {
  const CompressionSpec& c = job.training.compression;
  const int to = op.transfer.to;
  const double bandwidth = platform.cost(job.ranks.place(rank), job.ranks.place(to)).bandwidth;
  Weight weight;
  job.weigh(op, rank, job.weights.encoded(op), bandwidth, weight);
  std::string text = human_bytes(weight.wire);
  if (job.ranks.way(rank, to) == RankLayout::Way::own_place)
    text = "stays in its place, free";
  else if (!c.tensors.directory.empty() && (op.encoded || sends_lists(job.training.exchange)))
    text = "as many bytes as its values are encoded to when it is sent";
  if (weight.decode_seconds > 0) text += fmt::format(", decoded there in {:g} s", weight.decode_seconds);
  return text;
}

std::string step_text(const Job& job, const Platform& platform, int rank, const StepOp& op, const char* unit,
                      const std::optional<LaneContents>& lane) {
  const Step& step = op.transfer;
  const bool lists = sends_lists(job.training.exchange);
  const std::int64_t n = lists ? std::numeric_limits<std::int64_t>::max() : job.buckets[op.bucket].elements;
  std::string text =
      fmt::format("{}{}, step {}:", job.buckets[op.bucket].name, op.name > 0 ? " parameters" : "", op.step);
  if (op.encode_seconds > 0)
    text += fmt::format(" encode on the {} ({:g} s),", resource_name(op.codec), op.encode_seconds);
  if (step.to != no_rank)
    text += fmt::format(" send {} ({}) to {}{}", lane ? lane->sent(op) : range(step.out, unit, n),
                        weight_text(job, platform, rank, op), peer(step.to), step.from != no_rank ? "," : "");
  if (step.from != no_rank) {
    text += fmt::format(" receive {} from {}", lane ? lane->received(op) : range(step.in, unit, n), peer(step.from));
    if (step.combine == Combine::reduce) text += fmt::format(", reduce ({:g} s)", op.combine_seconds);
    if (step.combine == Combine::merge) text += fmt::format(", merge ({:g} s)", op.combine_seconds);
  }
  if (!step.wait_sent) text += ", go on at once";
  return text;
}

std::string work_text(const Job& job, const WorkOp& op) {
  const auto label = static_cast<std::size_t>(op.label);
  switch (op.activity) {
  case Activity::forward: return fmt::format("forward {} ({:g} s)", job.workload.layers[label].name, op.seconds);
  case Activity::backward: return fmt::format("backward {} ({:g} s)", job.workload.layers[label].name, op.seconds);
  case Activity::update: return fmt::format("update ({:g} s)", op.seconds);
  case Activity::cost:
    if (label == job.training.costs.size()) return fmt::format("launch the call ({:g} s)", op.seconds);
    return fmt::format("{} on the {} ({:g} s)", job.training.costs[label].name, resource_name(op.resource), op.seconds);
  case Activity::reduce:
  case Activity::merge:
  case Activity::encode:
  case Activity::decode:
  case Activity::exchange: break;
  }
  return fmt::format("work on the {} ({:g} s)", resource_name(op.resource), op.seconds);
}

/// An operation of `rank` in words; `signals`: of its stream so far.
struct OpText {
  const Job& job;
  const Platform& platform;
  int rank;
  std::int64_t signals;
  const char* unit;
  const std::optional<LaneContents>& lane;

  std::string operator()(const WorkOp& op) const { return work_text(job, op); }
  std::string operator()(const StepOp& op) const { return step_text(job, platform, rank, op, unit, lane); }
  std::string operator()(const BarrierOp& op) const {
    return fmt::format("wait until every worker has reached the exchange of bucket {}", op.bucket);
  }
  std::string operator()(const CollectiveOp& op) const {
    return fmt::format("the whole exchange of bucket {} at once", op.bucket);
  }
  std::string operator()(const WaitOp& op) const {
    const char* of_computation = job.tasks.sharded() != nullptr ? "signal" : "gradient";
    if (op.stream > job.streams()) return fmt::format("wait for signal {} of {}", op.value, job.stream_name(op.stream));
    return op.stream == 0 ? fmt::format("wait for {} {} of the computation", of_computation, op.value)
                          : fmt::format("wait for exchange {} of comm{}", op.value, op.stream - 1);
  }
  std::string operator()(const SignalOp&) const { return fmt::format("signal {}", signals); }
  std::string operator()(const DrainOp&) const { return "wait for the reductions under way"; }
  std::string operator()(const MarkOp& op) const { return fmt::format("iteration {} is complete", op.iteration); }
  std::string operator()(const CallBeginOp& op) const { return fmt::format("begin call {}", op.call); }
  std::string operator()(const CallEndOp& op) const { return fmt::format("call {} is over", op.call); }
};

class Printer {
public:
  Printer(const Job& job, const Platform& platform, const PlanOptions& options, std::ostream& out)
      : job_(job), platform_(platform), options_(options), out_(out) {}

  void stream(int rank, int index) {
    if (reactive(job_.training.exchange) && job_.ranks.is_helper(rank)) {
      out_ << fmt::format("rank {} (server {}), comm{}: answers each push as it comes\n", rank,
                          rank - job_.ranks.workers(), index - 1);
      return;
    }
    const auto program = job_.program(rank, index);
    if (!program) return;
    const char* unit = sends_lists(job_.training.exchange) ? "lists " : "elements ";
    std::string title =
        fmt::format("rank {}{}, {}:\n", rank, job_.ranks.is_helper(rank) ? " (helper)" : "", job_.stream_name(index));
    std::optional<LaneContents> lane;
    if (const auto number = job_.lane_of(index)) lane.emplace(job_, rank, *number);
    Op op;
    std::int64_t signals = 0;
    while (program->next(op)) {
      if (const auto* work = std::get_if<WorkOp>(&op); work != nullptr && work->seconds <= 0) continue;
      if (std::holds_alternative<SignalOp>(op)) ++signals;
      if (printed_ == options_.limit) {
        truncated_ = true;
        return;
      }
      ++printed_;
      out_ << title << "  " << std::visit(OpText{job_, platform_, rank, signals, unit, lane}, op) << '\n';
      title.clear();
    }
  }
  [[nodiscard]] bool truncated() const { return truncated_; }

private:
  const Job& job_;
  const Platform& platform_;
  const PlanOptions& options_;
  std::ostream& out_;
  std::int64_t printed_ = 0;
  bool truncated_ = false;
};

} // namespace

void print_plan(const Scenario& scenario, const Platform& platform, const PlanOptions& options, std::ostream& out) {
  for (const Phase& phase : scenario.phases) {
    const Job job(scenario, phase, platform);
    if (options.rank >= job.ranks.size())
      throw std::out_of_range(
          fmt::format("rank {} does not exist: ranks are 0 to {}", options.rank, job.ranks.size() - 1));
    out << fmt::format("phase {}: {}, {}, {}, {}, {}\n", phase.name, count(job.ranks.workers(), "worker"),
                       count(job.ranks.helpers(), "helper"), count(job.buckets.size(), "bucket"),
                       count(job.streams(), "communication stream"), count(job.training.iterations, "iteration"));
    if (const std::string none = missing_form(phase.training.exchange, job.ranks.workers()); !none.empty())
      out << none << '\n';
    if (job.calls)
      for (const JobCalls::Call& call : job.calls->calls) out << call_text(call) << '\n';
    Printer printer(job, platform, options, out);
    const int first = options.rank < 0 ? 0 : options.rank,
              last = options.rank < 0 ? job.ranks.size() - 1 : options.rank;
    for (int rank = first; rank <= last && !printer.truncated(); ++rank)
      for (int s = 0; s < job.plan_streams() && !printer.truncated(); ++s) printer.stream(rank, s);
    if (printer.truncated()) out << fmt::format("... and more (--limit {})\n", options.limit);
  }
}

} // namespace gradflight
