// The engine's pending events, by time; events of the same time come in the order in which they were added.
//
// Ranks in lockstep put thousands of events on one instant. They share a bucket, found through a small cache keyed by
// the time, so that the heap holds instants rather than events.
#pragma once

#include <array>
#include <bit>
#include <boost/heap/d_ary_heap.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace gradflight {

enum class EventKind : std::uint32_t { stream, message_begin, message_end, message_there, grant };

struct Event {
  EventKind kind;
  std::uint32_t index;
};

class Calendar {
public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  void add(double time, Event event) {
    Recent& recent = recent_[slot(time)];
    if (recent.time != time || !alive(recent)) {
      recent = {time, open(time), 0};
      recent.birth = buckets_[recent.bucket].birth;
    }
    buckets_[recent.bucket].events.push_back(event);
  }

  /// Time of the earliest event; `never` if there is none.
  [[nodiscard]] double next() const { return heap_.empty() ? never : std::bit_cast<double>(heap_.top().time); }

  /// Moves the events of the earliest bucket into `out` (cleared first). Later additions at the same time come after.
  void take(std::vector<Event>& out) {
    out.clear();
    const auto b = static_cast<std::uint32_t>(heap_.top().order & ((1u << bucket_bits) - 1));
    heap_.pop();
    out.swap(buckets_[b].events);
    buckets_[b].birth = 0;
    free_.push_back(b);
  }

  void clear() {
    heap_.clear();
    buckets_.clear();
    free_.clear();
    recent_.fill({});
  }

private:
  struct Instant {
    std::uint64_t time;  ///< bits of the double, which order like the number itself, since no time is negative
    std::uint64_t order; ///< birth, then bucket: two buckets of one time keep the order of their events
  };
  /// One wide comparison instead of branches that no processor can foresee.
  struct Later {
    bool operator()(const Instant& a, const Instant& b) const {
      __extension__ using Wide = unsigned __int128;
      return ((Wide{a.time} << 64) | a.order) > ((Wide{b.time} << 64) | b.order);
    }
  };
  static constexpr int bucket_bits = 24;
  struct Bucket {
    std::vector<Event> events;
    std::uint64_t birth = 0; ///< 0: free
  };
  struct Recent {
    double time = -1;
    std::uint32_t bucket = 0;
    std::uint64_t birth = 0;
  };

  static std::size_t slot(double time) {
    const auto bits = std::bit_cast<std::uint64_t>(time);
    return (bits * 0x9E3779B97F4A7C15ull) >> 56;
  }
  [[nodiscard]] bool alive(const Recent& r) const { return r.birth != 0 && buckets_[r.bucket].birth == r.birth; }

  std::uint32_t open(double time) {
    std::uint32_t b;
    if (free_.empty()) {
      b = static_cast<std::uint32_t>(buckets_.size());
      if (b >> bucket_bits != 0) throw std::length_error("more than 2^24 instants pending");
      buckets_.emplace_back();
    } else {
      b = free_.back();
      free_.pop_back();
      buckets_[b].events.clear();
    }
    buckets_[b].birth = ++births_;
    heap_.push({std::bit_cast<std::uint64_t>(time), births_ << bucket_bits | b});
    return b;
  }

  boost::heap::d_ary_heap<Instant, boost::heap::arity<4>, boost::heap::compare<Later>> heap_;
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> free_;
  std::array<Recent, 256> recent_{};
  std::uint64_t births_ = 0;
};

} // namespace gradflight
