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
      const int turn = channel_of(plan_, round, lane) % plan_.turns;
      const auto at = static_cast<std::size_t>((turn * gpus_ + gpu) * gpus_ + step.to % gpus_);
      const nccl::PeerRoute& route = plan_.routes[at];
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
  const int gpus = plan.ranks / plan.nodes;
  const auto own = [&](std::size_t i) {
    return plan.routes[i].sender == static_cast<int>(i) / gpus % gpus; // of this pair
  };
  bool all_own = plan.turns == 1;
  for (std::size_t i = 0; i < plan.routes.size(); ++i) all_own = all_own && own(i);
  if (all_own) return schedule;
  return std::make_unique<PeerMessages>(std::move(schedule), plan, lanes);
}

} // namespace gradflight
