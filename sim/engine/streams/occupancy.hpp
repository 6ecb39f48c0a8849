// What a resource of a rank is busy with, one work after the other.
#pragma once

#include "sim/plan/op.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace gradflight {

class Occupancy {
public:
  struct Work {
    BusyWith what{};
    double straggling = 0; ///< share of its time beyond a rank of median speed; < 0: faster
    friend bool operator==(const Work&, const Work&) = default;
  };
  /// `op`: at the speeds that its plan knows; changes of speed during the run come on top (set_straggling).
  [[nodiscard]] static Work work_of(const WorkOp& op) {
    switch (op.part) {
    case Part::codec: return {BusyWith::codec};
    case Part::host: return {BusyWith::host};
    case Part::gamma:
    case Part::merge: return {BusyWith::reduction};
    default: break;
    }
    if (op.serves()) return {BusyWith::reduction};
    return {BusyWith::compute, op.nominal > 0 ? 1 - op.nominal / op.seconds : 0};
  }

  [[nodiscard]] double until() const { return last_.until; }
  /// `work` begins at `now` or, if the resource is busy, after all earlier works, and ends at `until`.
  void add(Work work, double now, double until) {
    if (last_.until <= now) {
      if (earlier_) earlier_->clear();
    } else if (work != last_.work) {
      if (!earlier_) earlier_ = std::make_unique<std::vector<Busy>>();
      std::erase_if(*earlier_, [now](const Busy& busy) { return busy.until <= now; });
      earlier_->push_back(last_);
    }
    last_ = {work, until};
  }
  /// Corrects the work that ends at `until`.
  void set_straggling(double until, double straggling) {
    if (last_.until == until) last_.work.straggling = straggling;
  }
  /// Adds what a work that arrives at `now` waits for.
  void add_wait(double now, PathDetails& details) const {
    const auto wait = [&](const Busy& busy) {
      if (busy.until <= now) return;
      details.queue[static_cast<std::size_t>(busy.work.what)] += busy.until - now;
      details.straggling += busy.work.straggling * (busy.until - now);
      now = busy.until;
    };
    if (earlier_) std::ranges::for_each(*earlier_, wait);
    wait(last_);
  }

private:
  struct Busy {
    Work work{};
    double until = 0;
  };
  Busy last_{};                                ///< equal neighbours are one
  std::unique_ptr<std::vector<Busy>> earlier_; ///< sorted; absent until works of two kinds have waited
};

} // namespace gradflight
