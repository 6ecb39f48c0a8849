// Pending instants, each with its order among those of the same time; top() is the earliest.
//
// Most events are added at a fixed delay after now: a link's latency, a block's time on the wire, its reduction. Events
// of the same delay come in order of time. So a new instant joins the queue with the latest last entry that is not
// later than it; only an instant that fits no queue goes into a heap. For a ring five queues suffice. The earliest
// instant is one of eight fronts, found without an unpredictable branch.
#pragma once

#include <array>
#include <bit>
#include <boost/circular_buffer.hpp>
#include <boost/heap/d_ary_heap.hpp>
#include <cstdint>

namespace gradflight {

struct Instant {
  std::uint64_t time;  ///< bits of the double: they sort like the number, since no time is negative
  std::uint64_t order; ///< among instants of the same time; grows with each instant added
  /// Uses one wide comparison instead of two that branch.
  [[nodiscard]] bool before(const Instant& other) const {
    __extension__ using Wide = unsigned __int128;
    return ((Wide{time} << 64) | order) < ((Wide{other.time} << 64) | other.order);
  }
};

class Instants {
public:
  Instants() { clear(); }

  [[nodiscard]] bool empty() const { return top().time == none.time; }
  [[nodiscard]] const Instant& top() const { return fronts_[first_]; }

  void push(const Instant& added) {
    std::size_t best = queues;
    std::uint64_t latest = 0;
    for (std::size_t q = 0; q < queues; ++q) {
      const bool fits = last_[q] <= added.time && (last_[q] > latest || best == queues);
      best = fits ? q : best;
      latest = fits ? last_[q] : latest;
    }
    if (best == queues) {
      heap_.push(added);
      fronts_[queues] = heap_.top();
    } else {
      last_[best] = added.time;
      if (fronts_[best].time == none.time) {
        fronts_[best] = added;
      } else {
        auto& behind = behind_[best];
        if (behind.full()) behind.set_capacity(2 * behind.capacity());
        behind.push_back(added);
      }
    }
    if (added.before(fronts_[first_])) find_first();
  }

  void pop() {
    const std::size_t q = taken_from_ = first_;
    if (q == queues) {
      heap_.pop();
      fronts_[q] = heap_.empty() ? none : heap_.top();
    } else if (behind_[q].empty()) {
      fronts_[q] = none;
      last_[q] = 0;
    } else {
      fronts_[q] = behind_[q].front();
      behind_[q].pop_front();
    }
    find_first();
  }

  /// Returns a later instant, sooner ones for a smaller k: the k-th of the queue that the last one was taken from. Null
  /// if unknown.
  [[nodiscard]] const Instant* foreseen(std::size_t k) const {
    if (taken_from_ == queues || k >= behind_[taken_from_].size()) return nullptr;
    return &behind_[taken_from_][k];
  }

  void clear() {
    fronts_.fill(none);
    last_.fill(0);
    for (auto& behind : behind_) {
      behind.clear();
      if (behind.capacity() == 0) behind.set_capacity(16);
    }
    heap_.clear();
    first_ = queues;
  }

private:
  static constexpr std::size_t queues = 7;
  static constexpr Instant none{~std::uint64_t{0}, ~std::uint64_t{0}};
  struct Later {
    bool operator()(const Instant& a, const Instant& b) const { return b.before(a); }
  };

  void find_first() {
    Instant earliest = fronts_[0];
    std::size_t first = 0;
    for (std::size_t q = 1; q <= queues; ++q) {
      const Instant front = fronts_[q];
      const bool earlier = front.before(earliest);
      earliest.time = earlier ? front.time : earliest.time;
      earliest.order = earlier ? front.order : earliest.order;
      first = earlier ? q : first;
    }
    first_ = first;
  }

  std::size_t first_ = 0;                    ///< index in fronts_
  std::array<Instant, queues + 1> fronts_{}; ///< of each queue, then of the heap; `none` if it is empty
  std::array<std::uint64_t, queues> last_{}; ///< time of each queue's last; 0 if it is empty
  std::array<boost::circular_buffer<Instant>, queues> behind_; ///< the queue behind each front
  boost::heap::d_ary_heap<Instant, boost::heap::arity<4>, boost::heap::compare<Later>> heap_;
  std::size_t taken_from_ = queues;
};

} // namespace gradflight
