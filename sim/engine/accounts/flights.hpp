// Time intervals with messages under way: disjoint and sorted.
#pragma once

#include <algorithm>
#include <deque>
#include <iterator>

namespace gradflight {

struct Flight {
  double begin = 0, end = 0;
};

class Flights {
public:
  /// Unites [begin, end] with the intervals so far. It most often belongs at or near the back.
  void add(Flight added) {
    if (!list_.empty() && list_.back().begin <= added.begin && added.begin <= list_.back().end) {
      list_.back().end = std::max(list_.back().end, added.end);
      return;
    }
    auto first = list_.end();
    while (first != list_.begin() && std::prev(first)->end >= added.begin) --first;
    auto last = first;
    for (; last != list_.end() && last->begin <= added.end; ++last) {
      added.begin = std::min(added.begin, last->begin);
      added.end = std::max(added.end, last->end);
    }
    list_.insert(list_.erase(first, last), added);
  }
  /// Unites several intervals that are known only by these bounds. Returns false and does nothing if gaps are possible.
  bool add_together(double earliest_begin, double latest_begin, double earliest_end, double latest_end) {
    if (latest_begin <= earliest_end) {
      add({earliest_begin, latest_end});
      return true;
    }
    if (list_.empty() || earliest_begin < list_.back().begin || list_.back().end < latest_begin) return false;
    list_.back().end = std::max(list_.back().end, latest_end);
    return true;
  }
  void add(const Flights& others) {
    for (const Flight& flight : others.list_) add(flight);
  }
  void clear() { list_.clear(); }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] const Flight& front() const { return list_.front(); }
  void pop_front() { list_.pop_front(); }

private:
  std::deque<Flight> list_;
};

} // namespace gradflight
