#include "models/schedules/rounds.hpp"

#include <algorithm>
#include <stdexcept>

namespace gradflight {

namespace {

/// One participant's progress through its steps.
struct Walker {
  int index = 0, steps = 0;
  Step step;
  bool sent = false, received = false; ///< of the current step
  std::vector<int> waiting;            ///< senders of buffered messages, in order; the first `taken` are already used
  std::size_t taken = 0;               ///< number of messages that steps have taken

  [[nodiscard]] bool done() const { return index == steps; }
  [[nodiscard]] bool sends() const { return !done() && step.to >= 0 && !sent; }
  [[nodiscard]] bool receives(int from) const {
    return !done() && !received && (step.from == from || step.from == anyone);
  }
};

class Walk {
public:
  explicit Walk(const Schedule& schedule)
      : schedule_(schedule), walkers_(static_cast<std::size_t>(schedule.participants())) {
    for (int i = 0; i < schedule.participants(); ++i) {
      at(i).steps = schedule.distinct_steps(i);
      enter(i);
      advance(i);
    }
  }

  /// Returns the messages of the next round; none if all steps are done.
  Messages next() {
    std::vector<bool> meets; // whether both sides of each message are ready as the round begins
    for (int i = 0; i < schedule_.participants(); ++i)
      meets.push_back(at(i).sends() && !at(i).step.buffered && at(at(i).step.to).receives(i));
    Messages messages;
    for (int i = 0; i < schedule_.participants(); ++i) {
      if (meets[static_cast<std::size_t>(i)]) {
        messages.emplace_back(i, at(i).step.to);
        at(i).sent = at(at(i).step.to).received = true;
        continue;
      }
      while (at(i).sends() && at(i).step.buffered) {
        messages.emplace_back(i, at(i).step.to);
        at(at(i).step.to).waiting.push_back(i);
        at(i).sent = true;
        if (at(i).step.wait_sent || at(i).step.from != no_rank) break;
        ++at(i).index; // a step that waits for nothing ends at once
        enter(i);
      }
    }
    for (int i = 0; i < schedule_.participants(); ++i) advance(i);
    const auto left = std::find_if(walkers_.begin(), walkers_.end(), [](const Walker& w) { return !w.done(); });
    if (messages.empty() && left != walkers_.end())
      throw std::logic_error("deadlock: the participants of a schedule wait for each other");
    return messages;
  }

private:
  const Schedule& schedule_;
  std::vector<Walker> walkers_;

  Walker& at(int i) { return walkers_[static_cast<std::size_t>(i)]; }

  void enter(int i) {
    Walker& walker = at(i);
    if (!walker.done()) walker.step = schedule_.step(schedule_.participants(), i, walker.index);
    walker.sent = walker.received = false;
  }

  /// Takes waiting messages, and advances as far as they allow.
  void advance(int i) {
    Walker& walker = at(i);
    while (!walker.done()) {
      const auto first = walker.waiting.begin() + static_cast<std::ptrdiff_t>(walker.taken);
      const auto come = std::find_if(first, walker.waiting.end(), [&](int from) { return walker.receives(from); });
      if (come != walker.waiting.end()) {
        walker.received = true;
        std::rotate(first, come, come + 1);
        ++walker.taken;
      }
      if (walker.sends() || (walker.step.from != no_rank && !walker.received)) return;
      ++walker.index;
      enter(i);
    }
  }
};

} // namespace

std::vector<Messages> rounds(const Schedule& schedule) {
  std::vector<Messages> all;
  Walk walk(schedule);
  for (Messages round = walk.next(); !round.empty(); round = walk.next()) all.push_back(std::move(round));
  return all;
}

} // namespace gradflight
