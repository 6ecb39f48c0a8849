#include "models/schedules/operations/parts/run_schedule.hpp"

#include <utility>

namespace gradflight {

namespace {

class AsGroup final : public GroupSchedule {
public:
  AsGroup(const GroupSpec& spec, std::unique_ptr<Schedule> schedule)
      : elements_(spec.elements), schedule_(std::move(schedule)) {}
  [[nodiscard]] int ranks() const override { return schedule_->workers(); }
  [[nodiscard]] std::int64_t steps(int, int member) const override { return schedule_->steps(member); }
  [[nodiscard]] LaneStep step(int, int member, std::int64_t index) const override {
    return {schedule_->step(elements_, member, static_cast<int>(index))};
  }
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    const Step sent = step(lane, member, index).step;
    if (sent.to != no_rank) pieces.push_back({no_rank, no_rank, sent.out});
  }

private:
  std::int64_t elements_;
  std::unique_ptr<Schedule> schedule_;
};

} // namespace

LaneStep RunSchedule::step(int, int member, std::int64_t index) const {
  const RunStep run = node_step(wrap(member - root_), index);
  Step step;
  if (run.to != no_rank) {
    step.to = wrap(run.to + root_);
    step.out = {0, blocks_.count(of_ranks(run.out))};
  }
  if (run.from != no_rank) {
    step.from = wrap(run.from + root_);
    step.in = {0, blocks_.count(of_ranks(run.in))};
  }
  step.combine = run.combine;
  step.buffered = run.buffered;
  step.wait_sent = run.wait_sent;
  return {step};
}

void RunSchedule::contents(int, int member, std::int64_t index, std::vector<Piece>& pieces) const {
  const RunStep run = node_step(wrap(member - root_), index);
  if (run.to != no_rank) blocks_.pieces(of_ranks(run.out), pieces);
}

std::unique_ptr<GroupSchedule> as_group(const GroupSpec& spec, std::unique_ptr<Schedule> schedule) {
  return std::make_unique<AsGroup>(spec, std::move(schedule));
}

} // namespace gradflight
