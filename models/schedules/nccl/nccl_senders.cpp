#include "models/schedules/nccl/nccl_senders.hpp"

#include <utility>

namespace gradflight {

namespace {

class RelayedMessages final : public GroupSchedule {
public:
  RelayedMessages(std::unique_ptr<GroupSchedule> messages, std::vector<int> senders, int gpus)
      : messages_(std::move(messages)), senders_(std::move(senders)), gpus_(gpus) {}
  [[nodiscard]] int ranks() const override { return messages_->ranks(); }
  [[nodiscard]] bool one_message_a_pair() const override { return messages_->one_message_a_pair(); }
  [[nodiscard]] bool relayed() const override { return true; }
  [[nodiscard]] std::int64_t steps(int lane, int member) const override { return messages_->steps(lane, member); }
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const override {
    LaneStep next = messages_->step(lane, member, index);
    const int to = next.step.to;
    if (to == no_rank || to / gpus_ == member / gpus_) return next;
    const int pair = member % gpus_ * gpus_ + to % gpus_, sender = senders_[static_cast<std::size_t>(pair)];
    if (sender != member % gpus_) next.step.by = member - member % gpus_ + sender;
    return next;
  }
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    messages_->contents(lane, member, index, pieces);
  }

private:
  std::unique_ptr<GroupSchedule> messages_;
  std::vector<int> senders_;
  int gpus_; ///< of a node
};

} // namespace

std::unique_ptr<GroupSchedule> with_senders(std::unique_ptr<GroupSchedule> schedule, const std::vector<int>& senders,
                                            int gpus) {
  for (std::size_t i = 0; i < senders.size(); ++i)
    if (senders[i] != static_cast<int>(i) / gpus)
      return std::make_unique<RelayedMessages>(std::move(schedule), senders, gpus);
  return schedule;
}

} // namespace gradflight
