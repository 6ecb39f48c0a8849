#include "analysis/run/timelines/critical_path.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

namespace gradflight {
namespace {

/// Work or a message that ended on a rank.
struct Ended {
  double end;
  bool message;
  std::size_t record;
};

class Walk {
public:
  explicit Walk(const Timeline& timeline) : timeline_(timeline) {
    for (std::size_t i = 0; i < timeline.intervals.size(); ++i) {
      const Interval& v = timeline.intervals[i];
      if (v.end > v.begin) add(v.rank, {v.end, false, i});
    }
    for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
      const Transfer& t = timeline.transfers[i];
      if (!(t.end > t.launched)) continue;
      add(t.to, {t.end, true, i});
      if (t.from != t.to) add(t.from, {t.end, true, i});
    }
    for (auto& [rank, list] : of_rank_)
      std::ranges::sort(list, [](const Ended& a, const Ended& b) {
        // The preferred one last.
        return std::tuple(a.end, !a.message, b.record) < std::tuple(b.end, !b.message, a.record);
      });
    for (const auto& [rank, list] : of_rank_)
      for (const Ended& e : list) latest_.emplace_back(e.end, rank);
    std::ranges::sort(latest_);
  }

  std::vector<CriticalStep> back() {
    if (latest_.empty()) return {};
    auto [now, rank] = latest_.back();
    slack_ = 1e-12 * now;
    while (now > slack_) {
      const auto found = ended_at(rank, now);
      if (!found) {
        // A barrier releases all ranks when its last member arrives; continue on that rank.
        if (const auto other = rank_of_end_at(now, rank)) {
          rank = *other;
          continue;
        }
        const double before = last_before(rank, now);
        steps_.push_back({CriticalStep::Kind::wait, 0, rank, before, now});
        now = before;
        continue;
      }
      if (!found->message) {
        const Interval& v = timeline_.intervals[found->record];
        steps_.push_back({CriticalStep::Kind::work, found->record, v.rank, v.begin, now});
        now = v.begin;
      } else {
        const Transfer& t = timeline_.transfers[found->record];
        steps_.push_back({CriticalStep::Kind::message, found->record, t.to, t.launched, now});
        now = t.launched;
        rank = t.launched > t.posted + slack_ ? t.to : t.from;
      }
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

private:
  void add(int rank, const Ended& ended) { of_rank_[rank].push_back(ended); }

  /// Returns the last one that ends at `now`; nothing if it ends earlier.
  [[nodiscard]] std::optional<Ended> ended_at(int rank, double now) const {
    const auto list = of_rank_.find(rank);
    if (list == of_rank_.end()) return std::nullopt;
    const auto after = std::ranges::upper_bound(list->second, now + slack_, {}, &Ended::end);
    if (after == list->second.begin() || std::prev(after)->end < now - slack_) return std::nullopt;
    return *std::prev(after);
  }

  [[nodiscard]] std::optional<int> rank_of_end_at(double now, int not_this) const {
    auto at = std::ranges::lower_bound(latest_, now - slack_, {}, [](const auto& e) { return e.first; });
    for (; at != latest_.end() && at->first <= now + slack_; ++at)
      if (at->second != not_this) return at->second;
    return std::nullopt;
  }

  [[nodiscard]] double last_before(int rank, double now) const {
    const auto list = of_rank_.find(rank);
    if (list == of_rank_.end()) return 0;
    const auto after = std::ranges::lower_bound(list->second, now - slack_, {}, &Ended::end);
    return after == list->second.begin() ? 0 : std::prev(after)->end;
  }

  const Timeline& timeline_;
  std::map<int, std::vector<Ended>> of_rank_;
  std::vector<std::pair<double, int>> latest_; ///< all ends with their ranks
  std::vector<CriticalStep> steps_;
  double slack_ = 0;
};

} // namespace

std::vector<CriticalStep> critical_path(const Timeline& timeline) { return Walk(timeline).back(); }

} // namespace gradflight
