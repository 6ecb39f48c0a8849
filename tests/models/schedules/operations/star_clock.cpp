#include "tests/models/schedules/operations/star_clock.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <stdexcept>
#include <vector>

namespace gradflight::test {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct StarMessage {
  int lane = 0, from = 0, to = 0;
  double left = 0, opens = never; ///< bytes; the time when its alpha has passed
  double rate = 0;
  bool arrived = false, taken = false, buffered = false;
};

class StarClock {
public:
  StarClock(const GroupSchedule& schedule, const LinkParameters& link) : schedule_(schedule), link_(link) {
    for (int member = 0; member < schedule.members(); ++member)
      for (int lane = 0; lane < schedule.lanes(); ++lane)
        lanes_.push_back({lane, member, schedule.steps(lane, member)});
  }

  double run() {
    for (;;) {
      for (bool moved = true; moved;) {
        moved = false;
        for (StarLane& lane : lanes_) moved = advance(lane) || moved;
      }
      const double next = next_event();
      if (next == never) break;
      for (StarMessage& m : messages_)
        if (flows(m)) m.left -= m.rate * (next - now_);
      now_ = next;
      for (StarMessage& m : messages_)
        if (m.opens <= now_ && m.left <= 1e-9) m.arrived = true;
      messages_.remove_if([](const StarMessage& m) { return m.arrived && m.taken; });
    }
    for (const StarLane& lane : lanes_)
      if (lane.index < lane.steps) throw std::runtime_error("a lane is stuck");
    return now_;
  }

private:
  struct StarLane {
    int lane, member;
    std::int64_t steps, index = 0;
    bool started = false, received = false;
    double combined = 0; ///< the time when the received data is added
  };

  [[nodiscard]] bool flows(const StarMessage& m) const { return !m.arrived && m.opens <= now_; }

  bool advance(StarLane& lane) {
    if (lane.index == lane.steps) return false;
    const LaneStep next = schedule_.step(lane.lane, lane.member, lane.index);
    const Step& step = next.step;
    bool moved = false;
    if (!lane.started) {
      if (next.after_lane >= 0 && of(lane.member, next.after_lane).index < next.after_steps) return false;
      if (step.to != no_rank)
        messages_.push_back({lane.lane, lane.member, step.to, static_cast<double>(step.out.count),
                             step.buffered ? now_ + link_.alpha : never, 0, false, false, step.buffered});
      lane.started = moved = true;
      lane.received = step.from == no_rank;
      lane.combined = now_;
    }
    if (!lane.received) {
      const auto first = std::ranges::find_if(messages_, [&](const StarMessage& m) {
        return !m.taken && m.lane == lane.lane && m.from == step.from && m.to == lane.member;
      });
      if (first == messages_.end()) return moved;
      if (first->opens == never) {
        first->opens = now_ + link_.alpha;
        moved = true;
      }
      if (!first->arrived) return moved;
      first->taken = lane.received = true;
      const bool adds = step.combine == Combine::reduce && lane.member < schedule_.ranks();
      if (adds) lane.combined = now_ + static_cast<double>(step.in.count) * link_.gamma;
    }
    if (lane.combined > now_) return moved;
    const bool waits = step.wait_sent && std::ranges::any_of(messages_, [&](const StarMessage& m) {
                         return m.lane == lane.lane && m.from == lane.member && !m.arrived;
                       });
    if (waits) return moved;
    ++lane.index;
    lane.started = false;
    return true;
  }

  [[nodiscard]] const StarLane& of(int member, int lane) const {
    return lanes_[static_cast<std::size_t>(member * schedule_.lanes() + lane)];
  }

  double next_event() {
    fill();
    double next = never;
    for (const StarLane& lane : lanes_)
      if (lane.started && lane.combined > now_) next = std::min(next, lane.combined);
    for (const StarMessage& m : messages_) {
      if (flows(m)) next = std::min(next, now_ + std::max(0.0, m.left) / m.rate);
      if (m.opens > now_ && m.opens != never) next = std::min(next, m.opens);
    }
    return next;
  }

  /// Max-min fairness: the port with the smallest rate per message determines the rate of its messages; repeats for the
  /// rest.
  void fill() {
    const auto members = static_cast<std::size_t>(schedule_.members());
    const auto out = [](const StarMessage& m) { return static_cast<std::size_t>(m.from); };
    const auto in = [&](const StarMessage& m) { return members + static_cast<std::size_t>(m.to); };
    std::vector<double> room(2 * members, 1 / link_.beta);
    for (std::size_t helper = static_cast<std::size_t>(schedule_.ranks()); helper < members; ++helper)
      room[helper] = room[members + helper] = schedule_.ranks() / link_.beta;
    std::vector<StarMessage*> open;
    for (StarMessage& m : messages_)
      if (flows(m)) open.push_back(&m);
    while (!open.empty()) {
      std::vector<int> count(2 * members, 0);
      for (const StarMessage* m : open) ++count[out(*m)], ++count[in(*m)];
      double least = never;
      for (std::size_t i = 0; i < 2 * members; ++i)
        if (count[i] > 0) least = std::min(least, room[i] / count[i]);
      const auto bound = [&](std::size_t port) { return room[port] / count[port] <= least * (1 + 1e-12); };
      std::vector<StarMessage*> rest, done;
      for (StarMessage* m : open) (bound(out(*m)) || bound(in(*m)) ? done : rest).push_back(m);
      for (StarMessage* m : done) {
        m->rate = least;
        room[out(*m)] -= least;
        room[in(*m)] -= least;
      }
      open = std::move(rest);
    }
  }

  const GroupSchedule& schedule_;
  LinkParameters link_;
  double now_ = 0;
  std::vector<StarLane> lanes_; // for each member
  std::list<StarMessage> messages_;
};

} // namespace

double time_on_star(const GroupSchedule& schedule, const LinkParameters& link) {
  return StarClock(schedule, link).run();
}

} // namespace gradflight::test
