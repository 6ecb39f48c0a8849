#include "sim/training/plan_text.hpp"

#include "sim/training/job.hpp"

#include <fmt/format.h>
#include <stdexcept>

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

std::string range(const Range& r, const char* unit) {
  return fmt::format("{}[{}, {})", unit, r.first, r.first + r.count);
}

std::string step_text(const Job& job, int rank, const Op& op, const char* unit) {
  const Step& step = op.transfer;
  std::string text = fmt::format("{}, step {}:", job.buckets[static_cast<std::size_t>(op.bucket)].name, op.step);
  if (op.encode_seconds > 0)
    text += fmt::format(" encode on the {} ({:g} s),", resource_name(job.codec_resource(rank)), op.encode_seconds);
  if (step.to != nobody)
    text += fmt::format(" send {} ({:g} B{}) to {}{}", range(step.out, unit), op.send_wire,
                        op.decode_seconds > 0 ? fmt::format(", decoded there in {:g} s", op.decode_seconds) : "",
                        peer(step.to), step.from != nobody ? "," : "");
  if (step.from != nobody) {
    text += fmt::format(" receive {} from {}", range(step.in, unit), peer(step.from));
    if (step.combine == Combine::reduce) text += fmt::format(", reduce ({:g} s)", op.combine_seconds);
    if (step.combine == Combine::merge) text += fmt::format(", merge ({:g} s)", op.combine_seconds);
  }
  if (!step.wait_sent) text += ", go on at once";
  return text;
}

std::string work_text(const Job& job, const Op& op) {
  const auto label = static_cast<std::size_t>(op.label);
  switch (op.activity) {
  case Activity::forward: return fmt::format("forward {} ({:g} s)", job.workload.layers[label].name, op.seconds);
  case Activity::backward: return fmt::format("backward {} ({:g} s)", job.workload.layers[label].name, op.seconds);
  case Activity::update: return fmt::format("update ({:g} s)", op.seconds);
  case Activity::cost:
    return fmt::format("{} on the {} ({:g} s)", job.training.costs[label].name, resource_name(op.resource), op.seconds);
  case Activity::reduce:
  case Activity::merge:
  case Activity::encode:
  case Activity::decode: break;
  }
  return fmt::format("work on the {} ({:g} s)", resource_name(op.resource), op.seconds);
}

std::string op_text(const Job& job, int rank, const Op& op, std::int64_t signals, const char* unit) {
  switch (op.kind) {
  case OpKind::work: return work_text(job, op);
  case OpKind::step: return step_text(job, rank, op, unit);
  case OpKind::wait:
    return op.stream == 0 ? fmt::format("wait for gradient {} of the computation", op.value)
                          : fmt::format("wait for exchange {} of comm{}", op.value, op.stream - 1);
  case OpKind::signal: return fmt::format("signal {}", signals);
  case OpKind::barrier: return fmt::format("wait until every worker has come to the exchange of bucket {}", op.bucket);
  case OpKind::drain: return "wait for the reductions under way";
  case OpKind::mark: return fmt::format("iteration {} is complete", op.iteration);
  case OpKind::collective:
  case OpKind::discard: break;
  }
  return "";
}

class Printer {
public:
  Printer(const Job& job, const PlanOptions& options, std::ostream& out) : job_(job), options_(options), out_(out) {}

  void stream(int rank, int index) {
    if (job_.reactive && job_.is_helper(rank)) {
      out_ << fmt::format("rank {} (server {}), comm{}: answers each push as it comes\n", rank, rank - job_.workers,
                          index - 1);
      return;
    }
    const auto program = job_.program(rank, index);
    if (!program) return;
    const char* unit = job_.stream_tasks.front().front().schedule->unit() == Unit::lists ? "lists " : "elements ";
    std::string title = fmt::format("rank {}{}, {}:\n", rank, job_.is_helper(rank) ? " (helper)" : "",
                                    index == 0 ? "compute" : fmt::format("comm{}", index - 1));
    Op op;
    std::int64_t signals = 0;
    while (program->next(op)) {
      if (op.kind == OpKind::work && op.seconds <= 0) continue;
      if (op.kind == OpKind::signal) ++signals;
      if (printed_ == options_.limit) {
        truncated_ = true;
        return;
      }
      ++printed_;
      out_ << title << "  " << op_text(job_, rank, op, signals, unit) << '\n';
      title.clear();
    }
  }
  [[nodiscard]] bool truncated() const { return truncated_; }

private:
  const Job& job_;
  const PlanOptions& options_;
  std::ostream& out_;
  std::int64_t printed_ = 0;
  bool truncated_ = false;
};

} // namespace

void print_plan(const Scenario& scenario, const Platform& platform, const PlanOptions& options, std::ostream& out) {
  for (const Phase& phase : scenario.phases) {
    const Job job(scenario, phase, platform);
    if (options.rank >= job.ranks)
      throw std::out_of_range(fmt::format("there is no rank {}: ranks are 0 to {}", options.rank, job.ranks - 1));
    out << fmt::format("phase {}: {}, {}, {}, {}, {}\n", phase.name, count(job.workers, "worker"),
                       count(job.helpers, "helper"), count(static_cast<std::int64_t>(job.buckets.size()), "bucket"),
                       count(job.streams(), "communication stream"), count(job.training.iterations, "iteration"));
    Printer printer(job, options, out);
    const int first = options.rank < 0 ? 0 : options.rank, last = options.rank < 0 ? job.ranks - 1 : options.rank;
    for (int rank = first; rank <= last && !printer.truncated(); ++rank)
      for (int s = 0; s <= job.streams() && !printer.truncated(); ++s) printer.stream(rank, s);
    if (printer.truncated()) out << fmt::format("... and more (--limit {})\n", options.limit);
  }
}

} // namespace gradflight
