#include "models/schedules/written/written_schedule.hpp"

#include <utility>

namespace gradflight {

namespace {

class WrittenGroup final : public GroupSchedule {
public:
  WrittenGroup(std::shared_ptr<const WrittenSchedule> schedule, std::int64_t elements)
      : schedule_(std::move(schedule)), parts_(static_cast<int>(written_parts(schedule_->operation, schedule_->ranks))),
        in_part_(schedule_->blocks / parts_),
        even_(elements, schedule_->operation == Operation::alltoall ? schedule_->ranks : parts_) {}

  [[nodiscard]] int ranks() const override { return schedule_->ranks; }
  [[nodiscard]] std::int64_t steps(int, int member) const override { return std::ssize(written(member)); }
  [[nodiscard]] LaneStep step(int, int member, std::int64_t index) const override {
    const WrittenStep& written_step = written(member)[static_cast<std::size_t>(index)];
    Step step;
    step.wait_sent = false;
    if (const auto& send = written_step.send) {
      step.to = send->to;
      step.out = {0, count(send->blocks)};
      step.buffered = !send->wait;
      step.wait_sent = send->wait;
    }
    if (const auto& receive = written_step.receive) {
      step.from = receive->from;
      step.in = {0, count(receive->blocks)};
      step.combine = receive->reduce ? Combine::reduce : Combine::take;
    }
    return {step};
  }
  void contents(int, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    if (const auto& send = written(member)[static_cast<std::size_t>(index)].send)
      for (const int block : send->blocks) pieces.push_back(piece(block));
  }

private:
  [[nodiscard]] const std::vector<WrittenStep>& written(int member) const {
    return schedule_->steps[static_cast<std::size_t>(member)];
  }
  /// Returns the elements, counted from the beginning of a block's part.
  [[nodiscard]] Range range(int block) const {
    const int part = block / in_part_;
    const std::int64_t size = even_.range(schedule_->operation == Operation::alltoall ? part % ranks() : part).count;
    return Blocks(size, in_part_).range(block % in_part_);
  }
  [[nodiscard]] std::int64_t count(const std::vector<int>& blocks) const {
    std::int64_t sum = 0;
    for (const int block : blocks) sum += range(block).count;
    return sum;
  }
  [[nodiscard]] Piece piece(int block) const {
    const int part = block / in_part_;
    switch (schedule_->operation) {
    case Operation::all_gather:
    case Operation::gather: return {part, no_rank, range(block)};
    case Operation::reduce_scatter:
    case Operation::scatter: return {no_rank, part, range(block)};
    case Operation::alltoall: return {part / ranks(), part % ranks(), range(block)};
    default: return {no_rank, no_rank, range(block)};
    }
  }

  std::shared_ptr<const WrittenSchedule> schedule_;
  int parts_, in_part_; ///< number of parts of the vector, and of blocks in each
  Blocks even_;
};

} // namespace

bool can_be_written(Operation op) { return op != Operation::sendrecv && op != Operation::barrier; }

std::int64_t written_parts(Operation op, int ranks) {
  if (op == Operation::alltoall) return std::int64_t{ranks} * ranks;
  return counts_blocks(op) ? ranks : 1;
}

std::unique_ptr<GroupSchedule> make_written_schedule(std::shared_ptr<const WrittenSchedule> schedule,
                                                     std::int64_t elements) {
  return std::make_unique<WrittenGroup>(std::move(schedule), elements);
}

} // namespace gradflight
