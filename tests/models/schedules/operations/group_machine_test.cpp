// The machine that checks schedules of operations finds their mistakes.
#include "models/schedules/make_schedule.hpp"
#include "tests/models/schedules/operations/group_machine.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <memory>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// A ring all-gather of 4 ranks with 3 elements each, with changes to its steps and contents.
class SpoiltRing final : public GroupSchedule {
public:
  std::function<void(int, std::int64_t, LaneStep&)> spoil_step = [](int, std::int64_t, LaneStep&) {};
  std::function<void(int, std::int64_t, std::vector<Piece>&)> spoil_pieces = [](int, std::int64_t,
                                                                                std::vector<Piece>&) {};
  std::int64_t fewer = 0; ///< number of omitted steps of rank 3

  [[nodiscard]] int ranks() const override { return 4; }
  [[nodiscard]] std::int64_t steps(int lane, int member) const override {
    return ring_->steps(lane, member) - (member == 3 ? fewer : 0);
  }
  [[nodiscard]] LaneStep step(int lane, int member, std::int64_t index) const override {
    LaneStep next = ring_->step(lane, member, index);
    spoil_step(member, index, next);
    return next;
  }
  void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const override {
    ring_->contents(lane, member, index, pieces);
    spoil_pieces(member, index, pieces);
  }
  static GroupSpec spec() { return {Operation::all_gather, 4, 0, 12, 0, 1}; }

private:
  std::unique_ptr<GroupSchedule> ring_ = make_group_schedule(*group_collective("ring"), spec());
};

std::string complaint(const SpoiltRing& ring) {
  try {
    carry_out(SpoiltRing::spec(), ring, 1);
  } catch (const std::runtime_error& wrong) {
    return wrong.what();
  }
  return "";
}

} // namespace

TEST_CASE("the machine of operations finds what is wrong with a schedule") {
  using Catch::Contains;
  const auto with_step = [](const std::function<void(int, std::int64_t, LaneStep&)>& spoil) {
    SpoiltRing ring;
    ring.spoil_step = spoil;
    return complaint(ring);
  };
  const auto with_pieces = [](const std::function<void(int, std::int64_t, std::vector<Piece>&)>& spoil) {
    SpoiltRing ring;
    ring.spoil_pieces = spoil;
    return complaint(ring);
  };
  CHECK(complaint(SpoiltRing()).empty());
  SpoiltRing shorter;
  shorter.fewer = 1;
  CHECK_THAT(complaint(shorter), Contains("is stuck"));
  CHECK_THAT(with_step([](int m, std::int64_t, LaneStep& next) { next.step.from = m == 2 ? 3 : next.step.from; }),
             Contains("is stuck"));
  CHECK_THAT(with_step([](int, std::int64_t, LaneStep& next) { next.step.to = 4; }), Contains("sends to nobody"));
  CHECK_THAT(with_step([](int, std::int64_t, LaneStep& next) { next.step.in.count = 4; }), Contains("gets 3 elements"));
  CHECK_THAT(with_step([](int, std::int64_t, LaneStep& next) { next.step.combine = Combine::reduce; }),
             Contains("adds up what is only moved"));
  CHECK_THAT(with_step([](int m, std::int64_t i, LaneStep& next) {
               if (m == 1 && i == 2) next.after_lane = 0, next.after_steps = 4;
             }),
             Contains("waits for steps that do not exist"));
  CHECK_THAT(with_step([](int m, std::int64_t i, LaneStep& next) {
               if (m == 3 && i == 2) next.step.from = no_rank;
             }),
             Contains("never received") || Contains("is stuck"));
  CHECK_THAT(with_pieces([](int, std::int64_t, std::vector<Piece>& pieces) { pieces.front().range.count = 2; }),
             Contains("its pieces have 2 elements"));
  CHECK_THAT(with_pieces([](int m, std::int64_t, std::vector<Piece>& pieces) { pieces.front().source = (m + 2) % 4; }),
             Contains("sends what it does not have"));
  CHECK_THAT(with_pieces([](int m, std::int64_t, std::vector<Piece>& pieces) { pieces.front().source = m; }),
             Contains("gets what it has"));
  CHECK_THAT(with_pieces([](int, std::int64_t, std::vector<Piece>& pieces) { pieces.front().range.first = 1; }),
             Contains("a piece that the operation does not have"));
}

TEST_CASE("the machine of operations finds sums that lack a rank and barriers that are left early") {
  // Ranks that do nothing.
  class Nothing final : public GroupSchedule {
  public:
    [[nodiscard]] int ranks() const override { return 2; }
    [[nodiscard]] std::int64_t steps(int, int) const override { return 0; }
    [[nodiscard]] LaneStep step(int, int, std::int64_t) const override { return {}; }
    void contents(int, int, std::int64_t, std::vector<Piece>&) const override {}
  };
  CHECK_THROWS_WITH(carry_out({Operation::all_reduce, 2, 0, 1, 0, 1}, Nothing(), 1),
                    "rank 0 lacks element 0 of block -1 -> -1 at the end");
  CHECK_THROWS_WITH(carry_out({Operation::barrier, 2, 0, {}, 0, 1}, Nothing(), 1), "rank 0 leaves the barrier early");
}
