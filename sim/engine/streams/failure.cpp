#include "sim/engine/streams/failure.hpp"

#include <fmt/format.h>

namespace gradflight {

namespace {

std::string waiting_for(const Stream& stream) {
  switch (stream.stage) {
  case StreamStage::receiving: {
    const StepOp& op = stream.step();
    const std::string from = op.transfer.from == anyone ? "any rank" : fmt::format("rank {}", op.transfer.from);
    if (op.tag == any_tag) return fmt::format("a request from {}", from);
    return fmt::format("a message from {} (bucket {} of iteration {}, step {})", from, op.bucket, op.iteration,
                       op.step);
  }
  case StreamStage::sending: {
    const StepOp& op = stream.step();
    return fmt::format("its {} message(s) to arrive, the last to rank {} (bucket {} of iteration {}, step {})",
                       stream.unsent, op.transfer.to, op.bucket, op.iteration, op.step);
  }
  case StreamStage::counting: {
    const auto& op = std::get<WaitOp>(stream.op);
    return op.stream == 0 ? fmt::format("gradient {} of its computation", op.value)
                          : fmt::format("exchange {} of its communication stream {}", op.value, op.stream - 1);
  }
  case StreamStage::meeting: {
    if (const auto* call = std::get_if<CallBeginOp>(&stream.op))
      return fmt::format("the other workers at call {}", call->call);
    const auto& op = std::get<BarrierOp>(stream.op);
    return fmt::format("the other workers at the barrier (bucket {} of iteration {})", op.bucket, op.iteration);
  }
  case StreamStage::asking: return "its rank's codec or reducer";
  case StreamStage::lagging: return "an earlier reduction";
  default: break;
  }
  if (const auto* op = std::get_if<CollectiveOp>(&stream.op))
    return fmt::format("the end of a ring all-reduce (bucket {} of iteration {})", op->bucket, op->iteration);
  return "the end of its work";
}

} // namespace

SimulationFailure::SimulationFailure(const std::string& what, std::vector<Blocked> who)
    : std::runtime_error(what), blocked(std::move(who)), blocked_count(static_cast<std::int64_t>(blocked.size())) {}

void fail(const Streams& streams, const std::string& what) {
  std::vector<Blocked> blocked;
  std::int64_t count = 0;
  for (const Stream& stream : streams.all) {
    if (stream.stage == StreamStage::ended || ++count > 64) continue;
    blocked.push_back({streams.plan_names[stream.plan], stream.rank,
                       stream.index == 0 ? "compute" : fmt::format("comm{}", stream.index - 1), waiting_for(stream)});
  }
  SimulationFailure failure(what, std::move(blocked));
  failure.blocked_count = count;
  throw failure;
}

} // namespace gradflight
