#include "models/schedules/nccl/peer_messages.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

namespace {

class PeerMessages final : public GroupSchedule {
public:
  PeerMessages(std::unique_ptr<GroupSchedule> messages, nccl::PeerPlan plan, int lanes)
      : messages_(std::move(messages)), plan_(std::move(plan)), lanes_(lanes), gpus_(plan_.ranks / plan_.nodes) {}
  [[nodiscard]] int ranks() const override { return messages_->ranks(); }
  [[nodiscard]] int lanes() const override { return lanes_; }
  [[nodiscard]] bool awaited(int /*lane*/) const override { return false; }
  [[nodiscard]] bool one_message_a_pair() const override { return messages_->one_message_a_pair(); }
  [[nodiscard]] bool relayed() const override { return true; }
  [[nodiscard]] std::int64_t steps(int /*lane*/, int member) const override { return messages_->steps(0, member); }
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const override {
    LaneStep next = messages_->step(0, member, index);
    Step& step = next.step;
    if (step.to != no_rank && !leaves(member, step.to)) {
      if (lane > 0) step.to = no_rank;
    } else if (step.to != no_rank) {
      step.out = part(step.out, lane);
      const int gpu = member % gpus_, first = member - gpu, round = (step.to - member + ranks()) % ranks();
      const nccl::PeerRoute& route = plan_.route(channel_of(plan_, round, lane) % plan_.turns, gpu, step.to % gpus_);
      if (route.sender != gpu) step.by = first + route.sender;
      if (plan_.turns > 1) step.nics = {static_cast<std::int16_t>(route.out), static_cast<std::int16_t>(route.in)};
    }
    if (step.from != no_rank && !leaves(member, step.from)) {
      if (lane > 0) step.from = no_rank;
    } else if (step.from != no_rank) {
      step.in = part(step.in, lane);
    }
    if (step.to == no_rank) step.out = {};
    if (step.from == no_rank) step.in = {};
    return next;
  }
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    const int to = messages_->step(0, member, index).step.to;
    std::vector<Piece> all;
    messages_->contents(0, member, index, all);
    if (!leaves(member, to)) {
      if (lane == 0) pieces.insert(pieces.end(), all.begin(), all.end());
      return;
    }
    std::int64_t count = 0, before = 0;
    for (const Piece& piece : all) count += piece.range.count;
    const Range own = part({0, count}, lane);
    for (const Piece& piece : all) {
      const std::int64_t begin = std::max(own.first, before);
      const std::int64_t end = std::min(own.first + own.count, before + piece.range.count);
      if (end > begin)
        pieces.push_back({piece.source, piece.target, {piece.range.first + begin - before, end - begin}});
      before += piece.range.count;
    }
  }

private:
  /// Whether a message between two ranks leaves its node.
  [[nodiscard]] bool leaves(int member, int to) const { return member / gpus_ != to / gpus_; }
  [[nodiscard]] Range part(Range whole, int lane) const {
    const std::int64_t begin = whole.count * lane / lanes_, end = whole.count * (lane + 1) / lanes_;
    return {whole.first + begin, end - begin};
  }

  std::unique_ptr<GroupSchedule> messages_;
  nccl::PeerPlan plan_;
  int lanes_;
  int gpus_; ///< of a node
};

} // namespace

int peer_lanes(const nccl::PeerPlan& plan, double bytes) {
  return plan.nodes > 1 && bytes > 0 ? std::min(plan.turns, peer_shape(plan, bytes, true).channels) : 1;
}

std::unique_ptr<GroupSchedule> with_routes(std::unique_ptr<GroupSchedule> schedule, const nccl::PeerPlan& plan,
                                           int lanes) {
  bool as_usual = plan.turns == 1 || plan.nodes == 1;
  for (int gpu = 0, gpus = plan.ranks / plan.nodes; plan.nodes > 1 && gpu < gpus; ++gpu)
    for (int peer = 0; peer < gpus; ++peer) as_usual = as_usual && plan.route(0, gpu, peer).sender == gpu;
  if (as_usual) return schedule;
  return std::make_unique<PeerMessages>(std::move(schedule), plan, lanes);
}

} // namespace gradflight
