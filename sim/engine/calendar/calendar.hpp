// The engine's pending events, ordered by time; events of the same time keep the order in which they were added.
//
// Times count from the calendar's epoch. The epoch moves to an instant of the run at which only work of known length is
// under way (Executor::restart_clock). Then what follows has the same bits at whatever time the instant lies. In all
// other runs the epoch is 0.
//
// Ranks in lockstep have thousands of events at one instant. These share a bucket, which a small cache finds by its
// time. So the calendar sorts instants rather than events.
#pragma once

#include "sim/engine/calendar/instants.hpp"
#include "sim/engine/calendar/prefetch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

namespace gradflight {

enum class EventKind : std::uint32_t {
  stream,
  message_begin,
  message_end,
  message_there,
  grant,
  plans_begin,
  flows_begin, ///< of an entry of `traffic`
  flow_cut,    ///< of a message
  message_again,
  notice ///< senders learn of links that are down; names nothing
};

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

  /// Seconds from the beginning of the run to calendar time 0.
  [[nodiscard]] double epoch() const { return epoch_; }
  /// Time `now` becomes 0. Drops all events.
  void restart(double now) {
    clear();
    epoch_ += now;
  }

  [[nodiscard]] bool empty() const { return pending_.empty(); }
  /// Time of the earliest event; `never` if none is pending or if a double cannot hold the time.
  [[nodiscard]] double next() const { return pending_.empty() ? never : std::bit_cast<double>(pending_.top().time); }

  /// Moves the events of the earliest bucket into `out` (cleared first). Events added at this time later on follow.
  void take(std::vector<Event>& out) {
    const std::uint32_t b = bucket(pending_.top());
    pending_.pop();
    Bucket& taken = buckets_[b];
    out.assign(taken.events.begin(), taken.events.end());
    taken.events.clear();
    taken.birth = 0;
    free_.push_back(b);
  }

  /// Returns at most `most` later events, sooner ones for a smaller k; none if unknown. For prefetching.
  [[nodiscard]] std::span<const Event> foreseen(std::size_t k, std::size_t most) const {
    const Instant* instant = pending_.foreseen(k);
    if (instant == nullptr) return {};
    const auto& events = buckets_[bucket(*instant)].events;
    return {events.data(), std::min(events.size(), most)};
  }
  void foresee(std::size_t k) const {
    if (const Instant* instant = pending_.foreseen(k)) prefetch(buckets_[bucket(*instant)]);
  }

  void clear() {
    pending_.clear();
    buckets_.clear();
    free_.clear();
    recent_.fill({});
  }

private:
  static constexpr int bucket_bits = 24;
  struct alignas(cache_line) Bucket {
    boost::container::small_vector<Event, 3> events;
    std::uint64_t birth = 0; ///< 0: free
  };
  struct Recent {
    double time = -1;
    std::uint32_t bucket = 0;
    std::uint64_t birth = 0;
  };

  static std::uint32_t bucket(const Instant& instant) {
    return static_cast<std::uint32_t>(instant.order & ((1u << bucket_bits) - 1));
  }
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
    }
    buckets_[b].birth = ++births_;
    pending_.push({std::bit_cast<std::uint64_t>(time), births_ << bucket_bits | b});
    return b;
  }

  Instants pending_; ///< ordered by birth, then bucket: two buckets of one time keep the order of their events
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> free_;
  std::array<Recent, 256> recent_{};
  std::uint64_t births_ = 0;
  double epoch_ = 0;
};

} // namespace gradflight
