#include "sim/recovery/checkpoint_time.hpp"

#include "platforms/code/spec/spec.hpp"
#include "sim/group/simulate_group.hpp"

namespace gradflight {

namespace {

/// Members are the ranks, then the storage nodes. One element is a rank's part of the checkpoint.
class CheckpointSchedule final : public GroupSchedule {
public:
  CheckpointSchedule(int ranks, int storage, bool write) : ranks_(ranks), storage_(storage), write_(write) {}

  [[nodiscard]] int ranks() const override { return ranks_ + storage_; }
  [[nodiscard]] bool one_message_a_pair() const override { return true; }
  [[nodiscard]] std::int64_t steps(int /*lane*/, int member) const override {
    if (member < ranks_) return 1;
    const int first = member - ranks_;
    return first < ranks_ ? (ranks_ - 1 - first) / storage_ + 1 : 0;
  }
  [[nodiscard]] LaneStep step(int /*lane*/, int member, std::int64_t index) const override {
    const bool sends = (member < ranks_) == write_;
    const int other =
        member < ranks_ ? ranks_ + member % storage_ : member - ranks_ + static_cast<int>(index) * storage_;
    LaneStep step;
    step.step.buffered = true;
    step.step.wait_sent = member < ranks_ || index + 1 == steps(0, member);
    (sends ? step.step.to : step.step.from) = other;
    (sends ? step.step.out : step.step.in) = {0, 1};
    return step;
  }
  void contents(int /*lane*/, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    const LaneStep sent = step(0, member, index);
    if (sent.step.to != no_rank) pieces.push_back({write_ ? member : no_rank, write_ ? no_rank : sent.step.to, {0, 1}});
  }

private:
  int ranks_, storage_;
  bool write_;
};

double time_of(const PlatformSpec& spec, const Platform& platform, const GroupSchedule& schedule, GroupWork work,
               const char* name) {
  work.schedule = &schedule;
  work.name = name;
  return simulate_group(spec, platform, work).time;
}

} // namespace

CheckpointTimes checkpoint_times(const PlatformSpec& spec, const Platform& platform, std::span<const int> ranks,
                                 std::span<const int> storage, double bytes) {
  const int p = static_cast<int>(ranks.size()), k = static_cast<int>(storage.size());
  GroupWork work;
  work.place.assign(ranks.begin(), ranks.end());
  work.place.insert(work.place.end(), storage.begin(), storage.end());
  work.element_bytes = bytes / p;
  work.message_bytes = spec.message_bytes.value_or(Bytes(0)).value();
  return {time_of(spec, platform, CheckpointSchedule(p, k, true), work, "checkpoint's write"),
          time_of(spec, platform, CheckpointSchedule(p, k, false), work, "checkpoint's read")};
}

} // namespace gradflight
