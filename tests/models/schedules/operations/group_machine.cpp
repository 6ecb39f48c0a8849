#include "tests/models/schedules/operations/group_machine.hpp"

#include "tests/models/schedules/operations/group_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <stdexcept>
#include <tuple>

namespace gradflight::test {

namespace {

struct GroupMessage {
  std::int64_t count = 0;
  std::vector<Piece> pieces;
  std::vector<Bits> cells;
  Bits heard = 0; ///< ranks that have started before it
  bool buffered = false;
};

struct LaneState {
  std::int64_t index = 0, steps = 0;
  bool started = false, received = false;
  std::int64_t untaken = 0; ///< rendezvous messages that were sent but not received
  Bits heard = 0;
};

class GroupMachine {
public:
  GroupMachine(const GroupSpec& spec, const GroupSchedule& schedule, unsigned seed)
      : schedule_(schedule), memory_(spec, schedule.members()), random_(seed), barrier_(spec.op == Operation::barrier) {
    if (schedule.ranks() != spec.ranks) throw std::runtime_error("a schedule of other ranks");
    traffic_.sent.resize(static_cast<std::size_t>(schedule.members()));
    traffic_.received = traffic_.sent;
    for (int member = 0; member < schedule.members(); ++member)
      for (int lane = 0; lane < schedule.lanes(); ++lane) {
        LaneState state;
        state.steps = schedule.steps(lane, member);
        if (member < spec.ranks) state.heard = Bits{1} << member;
        states_.push_back(state);
      }
  }

  GroupTraffic run() {
    std::vector<std::size_t> order(states_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (bool moved = true; moved;) {
      std::shuffle(order.begin(), order.end(), random_);
      moved = false;
      for (const std::size_t i : order) // one step, or as many as possible
        for (bool more = true; more && advance(static_cast<int>(i)); moved = true) more = random_() % 4 != 0;
    }
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (states_[i].index < states_[i].steps) fail(static_cast<int>(i), "is stuck");
    for (const auto& [way, queue] : queues_)
      if (!queue.empty()) throw std::runtime_error("a message was never received");
    memory_.check_end();
    if (barrier_) check_barrier();
    return std::move(traffic_);
  }

private:
  [[nodiscard]] int lane_of(int i) const { return i % schedule_.lanes(); }
  [[nodiscard]] int member_of(int i) const { return i / schedule_.lanes(); }
  LaneState& state_of(int i) { return states_[static_cast<std::size_t>(i)]; }

  [[noreturn]] void fail(int i, const std::string& what) {
    const LaneState& state = state_of(i);
    std::string where =
        fmt::format("lane {} of member {}, step {} of {}", lane_of(i), member_of(i), state.index, state.steps);
    if (state.index < state.steps) {
      const Step step = schedule_.step(lane_of(i), member_of(i), state.index).step;
      where += fmt::format(" (to {}: {}, from {}: {})", step.to, step.out.count, step.from, step.in.count);
    }
    throw std::runtime_error(where + ": " + what);
  }

  void send(int i, const Step& step) {
    const int member = member_of(i);
    if (step.to < 0 || step.to >= schedule_.members() || step.to == member) fail(i, "sends to nobody");
    GroupMessage message{step.out.count, {}, {}, state_of(i).heard, step.buffered};
    schedule_.contents(lane_of(i), member, state_of(i).index, message.pieces);
    std::int64_t count = 0;
    for (const Piece& piece : message.pieces) {
      count += piece.range.count;
      if (const char* wrong = memory_.read(member, piece, message.cells)) fail(i, wrong);
    }
    if (count != step.out.count) fail(i, fmt::format("its pieces have {} elements", count));
    ++traffic_.messages;
    traffic_.elements += count;
    traffic_.sent[static_cast<std::size_t>(member)] += count;
    if (!step.buffered) ++state_of(i).untaken;
    queues_[{lane_of(i), member, step.to}].push_back(std::move(message));
  }

  bool receive(int i, const Step& step) {
    const int lane = lane_of(i), member = member_of(i);
    if (step.from < 0 || step.from >= schedule_.members() || step.from == member) fail(i, "receives from nobody");
    auto& queue = queues_[{lane, step.from, member}];
    if (queue.empty()) return false;
    const GroupMessage message = std::move(queue.front());
    queue.pop_front();
    if (message.count != step.in.count) fail(i, fmt::format("gets {} elements", message.count));
    if (!message.buffered) --state_of(step.from * schedule_.lanes() + lane).untaken;
    std::size_t at = 0;
    for (const Piece& piece : message.pieces)
      if (const char* wrong = memory_.write(member, piece, message.cells, at, step.combine)) fail(i, wrong);
    state_of(i).heard |= message.heard;
    traffic_.received[static_cast<std::size_t>(member)] += message.count;
    return true;
  }

  bool advance(int i) {
    LaneState& state = state_of(i);
    if (state.index == state.steps) return false;
    const LaneStep next = schedule_.step(lane_of(i), member_of(i), state.index);
    const bool moved = !state.started;
    if (!state.started) {
      if (next.after_lane >= 0) {
        const LaneState& other = state_of(member_of(i) * schedule_.lanes() + next.after_lane);
        if (next.after_steps > other.steps) fail(i, "waits for steps that do not exist");
        if (other.index < next.after_steps) return false;
        state.heard |= other.heard;
      }
      if (next.step.to == no_rank && next.step.from == no_rank) fail(i, "has nothing to do");
      if (next.step.to != no_rank) send(i, next.step);
      state.started = true;
      state.received = next.step.from == no_rank;
    }
    if (!state.received && !(state.received = receive(i, next.step))) return moved;
    if (next.step.wait_sent && state.untaken > 0) return moved;
    ++state.index;
    state.started = false;
    return true;
  }

  void check_barrier() {
    const int ranks = schedule_.ranks();
    for (int member = 0; member < ranks; ++member) {
      Bits heard = 0;
      for (int lane = 0; lane < schedule_.lanes(); ++lane) heard |= state_of(member * schedule_.lanes() + lane).heard;
      if (heard != all_ranks(ranks)) throw std::runtime_error(fmt::format("rank {} leaves the barrier early", member));
    }
  }

  const GroupSchedule& schedule_;
  GroupMemory memory_;
  std::mt19937 random_;
  bool barrier_;
  std::vector<LaneState> states_;                                        // for each member
  std::map<std::tuple<int, int, int>, std::deque<GroupMessage>> queues_; // lane, sender, receiver
  GroupTraffic traffic_;
};

} // namespace

GroupTraffic carry_out(const GroupSpec& spec, const GroupSchedule& schedule, unsigned seed) {
  return GroupMachine(spec, schedule, seed).run();
}

} // namespace gradflight::test
