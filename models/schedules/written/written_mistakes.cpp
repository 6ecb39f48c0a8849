// Runs a written schedule symbolically, with names of contributions in place of numbers.
#include "base/letters.hpp"
#include "models/schedules/written/written_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gradflight {

namespace {

/// Ranks with contributions in a block, as sorted disjoint intervals [first, second).
using Ranks = std::vector<std::pair<int, int>>;
using Shared = std::shared_ptr<const Ranks>;

/// "3", "3 and 5", "0, 1, 2 and 9 more"
std::string listed(const std::vector<int>& numbers) {
  constexpr std::size_t shown = 6;
  const std::size_t some = numbers.size() > shown + 1 ? shown : numbers.size();
  std::vector<std::string> items;
  for (std::size_t i = 0; i < some; ++i) items.push_back(std::to_string(numbers[i]));
  if (some < numbers.size()) items.push_back(fmt::format("{} more", numbers.size() - some));
  return enumerated(items, " and ");
}
std::string listed_blocks(const std::vector<int>& blocks) {
  if (blocks.empty()) return "no blocks";
  return (blocks.size() == 1 ? "block " : "blocks ") + listed(blocks);
}
std::string listed_ranks(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(ranks);
}

/// Returns the ranks of both; `twice`: a rank that is in both, or `no_rank`.
Ranks sum_of(const Ranks& a, const Ranks& b, int& twice) {
  twice = no_rank;
  Ranks all;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool first = j == b.size() || (i < a.size() && a[i].first <= b[j].first);
    const auto next = first ? a[i++] : b[j++];
    if (!all.empty() && next.first < all.back().second) {
      if (twice == no_rank) twice = next.first;
      all.back().second = std::max(all.back().second, next.second);
    } else if (!all.empty() && next.first == all.back().second) {
      all.back().second = next.second;
    } else {
      all.push_back(next);
    }
  }
  return all;
}

class Trial {
public:
  Trial(const WrittenSchedule& schedule, bool contents, std::size_t most)
      : schedule_(schedule), p_(schedule.ranks), contents_(contents), most_(most), none_(std::make_shared<Ranks>()),
        at_(static_cast<std::size_t>(schedule.ranks)) {
    for (int rank = 0; rank < p_; ++rank) single_.push_back(std::make_shared<Ranks>(Ranks{{rank, rank + 1}}));
  }

  std::vector<WrittenMistake> run() {
    for (int rank = 0; rank < p_; ++rank)
      for (int step = 0; step < steps(rank); ++step) check_step(rank, step);
    for (int rank = 0; rank < p_; ++rank) ready_.push_back(rank);
    while (!ready_.empty()) {
      const int rank = ready_.front();
      ready_.pop_front();
      go_on(rank);
    }
    report_stuck();
    report_unread();
    if (contents_ && !stuck_) report_missing();
    if (left_out_ > 0) found_.push_back({-1, -1, "", fmt::format("and {} more mistakes", left_out_)});
    return std::move(found_);
  }

private:
  struct Message {
    int step = 0;
    bool read = false; ///< by its receiver
    std::vector<Shared> carried{};
  };
  struct Channel {
    std::deque<Message> messages{};
    std::size_t read = 0;
  };
  /// The progress of a rank through its steps.
  struct Place {
    int step = 0;
    bool sent = false, received = false;
    std::size_t message = 0; ///< index in its channel of the message sent in this step
    int waits_for = no_rank; ///< whom it waits for
    bool to_send = false;    ///< it waits until that rank receives; otherwise until it sends
  };

  [[nodiscard]] int steps(int rank) const {
    return static_cast<int>(schedule_.steps[static_cast<std::size_t>(rank)].size());
  }
  [[nodiscard]] const WrittenStep& step(int rank, int index) const {
    return schedule_.steps[static_cast<std::size_t>(rank)][static_cast<std::size_t>(index)];
  }
  [[nodiscard]] Place& place(int rank) { return at_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool is_rank(int rank) const { return rank >= 0 && rank < p_; }
  [[nodiscard]] bool is_block(int block) const { return block >= 0 && block < schedule_.blocks; }
  /// Returns whether a message has both a sender and a receiver.
  [[nodiscard]] bool passes(int rank, int other) const { return is_rank(other) && other != rank; }
  Channel& channel(int from, int to) { return channels_[std::int64_t{from} * p_ + to]; }

  void fail(int rank, int step, std::string key, std::string message) {
    if (found_.size() < most_)
      found_.push_back({rank, step, std::move(key), std::move(message)});
    else
      ++left_out_;
  }

  void check_step(int rank, int index) {
    const WrittenStep& here = step(rank, index);
    if (!here.send && !here.receive) fail(rank, index, "", "this step neither sends nor receives");
    if (const auto& send = here.send) {
      check_peer(rank, index, "send/to", send->to);
      check_blocks(rank, index, "send/blocks", send->blocks);
    }
    if (const auto& receive = here.receive) {
      check_peer(rank, index, "receive/from", receive->from);
      check_blocks(rank, index, "receive/blocks", receive->blocks);
      if (contents_ && receive->reduce && !reduces())
        fail(rank, index, "receive/reduce",
             fmt::format("operation {} does not reduce; leave \"reduce\" out", operation_name(schedule_.operation)));
    }
  }
  void check_peer(int rank, int index, const char* key, int other) {
    if (!is_rank(other))
      fail(rank, index, key, fmt::format("rank {} does not exist; ranks are 0 to {}", other, p_ - 1));
    else if (other == rank)
      fail(rank, index, key, fmt::format("rank {} waits for itself; name another rank", rank));
  }
  void check_blocks(int rank, int index, const char* key, const std::vector<int>& blocks) {
    std::vector<int> sorted = blocks;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (!is_block(sorted[i]))
        fail(rank, index, key,
             fmt::format("block {} does not exist; blocks are 0 to {}", sorted[i], schedule_.blocks - 1));
      else if (i > 0 && sorted[i] == sorted[i - 1])
        fail(rank, index, key, fmt::format("block {} is listed twice", sorted[i]));
  }

  // contents of a rank's blocks

  [[nodiscard]] bool reduces() const { return is_reduction(schedule_.operation); }
  /// Returns the rank that owns the block's part of the vector: in an alltoall its sender, or its receiver.
  [[nodiscard]] int part(int block, bool receiver = false) const {
    const int parts = static_cast<int>(written_parts(schedule_.operation, p_)),
              own = block / (schedule_.blocks / parts);
    if (schedule_.operation != Operation::alltoall) return own;
    return receiver ? own % p_ : own / p_;
  }
  [[nodiscard]] const Shared& begins_with(int rank, int block) const {
    if (reduces()) return single_[static_cast<std::size_t>(rank)];
    bool own = rank == schedule_.root; // broadcast, scatter
    if (!has_root(schedule_.operation) || schedule_.operation == Operation::gather) own = part(block) == rank;
    return own ? single_[static_cast<std::size_t>(rank)] : none_;
  }
  [[nodiscard]] bool must_end_with(int rank, int block) const {
    switch (schedule_.operation) {
    case Operation::reduce:
    case Operation::gather: return rank == schedule_.root;
    case Operation::reduce_scatter:
    case Operation::scatter:
    case Operation::alltoall: return part(block, true) == rank;
    default: return true;
    }
  }
  Shared& held(int rank, int block) {
    const auto [at, fresh] = held_.try_emplace(std::int64_t{rank} * schedule_.blocks + block);
    if (fresh) at->second = contents_ ? begins_with(rank, block) : none_;
    return at->second;
  }

  // steps

  void go_on(int rank) {
    Place& at = place(rank);
    while (at.step < steps(rank)) {
      const WrittenStep& here = step(rank, at.step);
      const bool sends = here.send && passes(rank, here.send->to);
      if (sends && !std::exchange(at.sent, true)) send(rank, *here.send);
      if (here.receive && passes(rank, here.receive->from) && !at.received) {
        Channel& from = channel(here.receive->from, rank);
        if (from.read == from.messages.size()) return wait(rank, here.receive->from, false);
        receive(rank, *here.receive, from.messages[from.read++]);
        at.received = true;
        ready_.push_back(here.receive->from); // it may be waiting for this
      }
      if (sends && here.send->wait && !channel(rank, here.send->to).messages[at.message].read)
        return wait(rank, here.send->to, true);
      at = {.step = at.step + 1};
    }
    at.waits_for = no_rank;
  }
  void wait(int rank, int other, bool to_send) {
    place(rank).waits_for = other;
    place(rank).to_send = to_send;
  }
  void send(int rank, const WrittenSend& sent) {
    Channel& to = channel(rank, sent.to);
    place(rank).message = to.messages.size();
    Message message{.step = place(rank).step};
    for (const int block : sent.blocks) {
      const Shared carried = is_block(block) ? held(rank, block) : none_;
      if (contents_ && is_block(block) && carried->empty())
        fail(rank, place(rank).step, "send/blocks", fmt::format("rank {} has no block {} to send yet", rank, block));
      message.carried.push_back(carried);
    }
    to.messages.push_back(std::move(message));
    ready_.push_back(sent.to);
  }
  void receive(int rank, const WrittenReceive& received, Message& message) {
    message.read = true;
    const int index = place(rank).step;
    const std::vector<int>& blocks = step(received.from, message.step).send->blocks;
    std::vector<int> sent = blocks, expected = received.blocks;
    std::ranges::sort(sent);
    std::ranges::sort(expected);
    if (sent != expected)
      fail(rank, index, "receive/blocks",
           fmt::format("rank {} sends {} in its step {}, but rank {} receives {}", received.from, listed_blocks(sent),
                       message.step, rank, listed_blocks(expected)));
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (is_block(blocks[i])) put(rank, index, blocks[i], message.carried[i], received.reduce);
    message.carried.clear();
  }
  void put(int rank, int index, int block, const Shared& arrived, bool reduce) {
    Shared& own = held(rank, block);
    if (!reduce) {
      own = arrived;
      return;
    }
    int twice = no_rank;
    own = std::make_shared<Ranks>(sum_of(*own, *arrived, twice));
    if (contents_ && twice != no_rank)
      fail(rank, index, "receive",
           fmt::format("block {} already contains the contribution of rank {}, which would count twice", block, twice));
  }

  // ranks that have not ended

  [[nodiscard]] bool is_over(int rank) const { return at_[static_cast<std::size_t>(rank)].step == steps(rank); }
  [[nodiscard]] std::string waiting_text(int rank) const {
    const Place& at = at_[static_cast<std::size_t>(rank)];
    return fmt::format("rank {} in step {} {} rank {}", rank, at.step, at.to_send ? "sends to" : "receives from",
                       at.waits_for);
  }
  void report_stuck() {
    std::vector<int> seen(at_.size(), no_rank); // first rank of the walk that visited it
    for (int first = 0; first < p_; ++first) {
      if (is_over(first)) continue;
      stuck_ = true;
      int rank = first;
      while (!is_over(rank) && seen[static_cast<std::size_t>(rank)] == no_rank) {
        seen[static_cast<std::size_t>(rank)] = first;
        const Place& at = place(rank);
        if (is_over(at.waits_for))
          fail(rank, at.step, at.to_send ? "send" : "receive",
               fmt::format("deadlock: rank {} waits for rank {}, which has no further step that {} it", rank,
                           at.waits_for, at.to_send ? "receives from" : "sends to"));
        rank = at.waits_for;
      }
      if (!is_over(rank) && seen[static_cast<std::size_t>(rank)] == first) report_cycle(rank);
    }
  }
  void report_cycle(int first) {
    constexpr std::size_t shown = 8;
    std::vector<int> cycle;
    int rank = first;
    do {
      cycle.push_back(rank);
      rank = place(rank).waits_for;
    } while (rank != first);
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()),
                cycle.end()); // clang 14 lacks the ranged one
    std::vector<std::string> all;
    for (const int each : cycle)
      if (all.size() < shown) all.push_back(waiting_text(each));
    if (cycle.size() > shown) all.push_back(fmt::format("and {} more", cycle.size() - shown));
    const Place& at = place(cycle.front());
    fail(cycle.front(), at.step, at.to_send ? "send" : "receive",
         fmt::format("deadlock: {} wait for each other: {}", listed_ranks(cycle), fmt::join(all, ", ")));
  }
  void report_unread() {
    for (const auto& [key, each] : channels_) {
      const int from = static_cast<int>(key / p_), to = static_cast<int>(key % p_);
      if (!is_over(to)) continue; // reported with what it waits for
      for (std::size_t i = each.read; i < each.messages.size(); ++i)
        if (place(from).step > each.messages[i].step) // else it waits, which is reported elsewhere
          fail(from, each.messages[i].step, "send",
               fmt::format("this message is never received: rank {} has no further "
                           "step that receives from rank {}",
                           to, from));
    }
  }
  void report_missing() {
    for (int rank = 0; rank < p_; ++rank) {
      std::vector<int> absent;
      for (int block = 0; block < schedule_.blocks; ++block) {
        if (!must_end_with(rank, block)) continue;
        const auto at = held_.find(std::int64_t{rank} * schedule_.blocks + block);
        const Ranks& own = *(at == held_.end() ? begins_with(rank, block) : at->second);
        if (own.empty()) absent.push_back(block);
        if (reduces() && !own.empty() && own != Ranks{{0, p_}})
          fail(rank, -1, "",
               fmt::format("block {} ends on rank {} without the contribution of {}", block, rank,
                           listed_ranks(without(own))));
      }
      if (!absent.empty())
        fail(rank, -1, "",
             fmt::format("{} never {} at rank {}", listed_blocks(absent), absent.size() == 1 ? "arrives" : "arrive",
                         rank));
    }
  }
  [[nodiscard]] std::vector<int> without(const Ranks& own) const {
    std::vector<int> others;
    int next = 0;
    for (const auto& [first, end] : own) {
      for (int rank = next; rank < first; ++rank) others.push_back(rank);
      next = end;
    }
    for (int rank = next; rank < p_; ++rank) others.push_back(rank);
    return others;
  }

  const WrittenSchedule& schedule_;
  int p_;
  bool contents_;
  std::size_t most_, left_out_ = 0;
  bool stuck_ = false;
  Shared none_;
  std::vector<Shared> single_; ///< each rank's own contribution
  std::vector<Place> at_;
  std::deque<int> ready_;
  std::map<std::int64_t, Channel> channels_;      ///< by sender and receiver, in this order
  std::unordered_map<std::int64_t, Shared> held_; ///< by rank and block: only the blocks in use
  std::vector<WrittenMistake> found_;
};

} // namespace

std::vector<WrittenMistake> mistakes_in(const WrittenSchedule& schedule, bool contents, std::size_t most) {
  return Trial(schedule, contents, most).run();
}

} // namespace gradflight
