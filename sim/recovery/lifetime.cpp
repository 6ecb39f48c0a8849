#include "sim/recovery/lifetime.hpp"

#include "sim/recovery/stretch.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace gradflight {

const char* loss_name(Loss loss) {
  static constexpr std::array<const char*, losses> names = {"detection",  "restart", "redone",
                                                            "checkpoint", "repair",  "fewer_nodes"};
  return names[static_cast<std::size_t>(loss)];
}

namespace {

/// A job gives up if it makes no progress in this many failures.
constexpr std::int64_t failures_without_end = 10'000'000;

class Life {
public:
  Life(const IterationTimes& times, const LifetimeSetup& setup, Outages& outages,
       const std::vector<Component>& components)
      : full_{times, setup.write, setup.read}, setup_(setup), outages_(outages), components_(components),
        spares_(setup.spares), nodes_(setup.nodes), all_(setup.iterations * setup.nodes) {}

  LifeEnd run() {
    double kept_time = 0;
    if (elastic()) life().fewest_nodes = nodes_;
    while (end_.why_not.empty()) {
      const Pace& pace = nodes_ == setup_.nodes ? full_ : setup_.pace(nodes_);
      const std::int64_t between = iterations_between(setup_, pace.times.period());
      const std::int64_t left = (all_ - saved_ - 1) / nodes_ + 1;
      const double span = next_stop() - now_;
      const Stretch s = setup_.asynchronous ? write_asynchronously(pace, between, left, span)
                                            : write_synchronously(pace, between, left, span);
      const std::int64_t kept = std::min(s.saved_iterations * nodes_, all_ - saved_);
      const double as_all = static_cast<double>(kept) / setup_.nodes * full_.times.period();
      now_ += s.time;
      saved_ += kept;
      kept_time += s.saved_time;
      // With all nodes, the last iteration may have less work left than a whole one.
      const double idle = static_cast<double>(s.saved_iterations * nodes_ - kept) / setup_.nodes * full_.times.period();
      const double more = nodes_ < setup_.nodes ? s.saved_time - as_all : idle;
      life().at(Loss::fewer) += more;
      kept_time -= more;
      life().checkpoints += s.checkpoints;
      life().at(Loss::checkpoint) += s.written;
      life().at(Loss::redone) += s.redone;
      if (s.ended) break;
      if (check_limit()) break;
      recover();
    }
    life().useful = full_.times.whole(setup_.iterations);
    life().elapsed = now_;
    if (end_.why_not.empty()) fill_pipelines_again(kept_time - life().useful);
    if (end_.why_not.empty()) check_limit();
    return std::move(end_);
  }

private:
  Lifetime& life() { return end_.life; }
  [[nodiscard]] bool elastic() const { return setup_.least_nodes < setup_.nodes; }

  /// Iterations after a start differ from later ones: the checkpoint costs (or gains) that. Ignores rounding.
  void fill_pipelines_again(double seconds) {
    if (std::abs(seconds) > 1e-12 * life().elapsed) life().at(Loss::checkpoint) += seconds;
  }

  /// Returns the next failure. Failures of nodes that the job works without do not count.
  double next_failure() {
    const auto unused = [this](const Outage& outage) {
      return std::ranges::any_of(missing_, [&](const Missing& m) {
        return m.node == components_[outage.component].node && outage.at < m.until;
      });
    };
    while (!missing_.empty() && std::isfinite(outages_.next()) && unused(outages_.peek())) outages_.take();
    return outages_.next();
  }
  /// Returns when a node that the job works without comes back.
  [[nodiscard]] double next_node() const {
    double next = std::numeric_limits<double>::infinity();
    for (const Missing& m : missing_) next = std::min(next, m.until);
    return missing_.empty() || back_.empty() ? next : std::min(next, back_.front());
  }
  /// Returns when the job has its least number of nodes: as soon as enough missing nodes or spares are repaired.
  [[nodiscard]] double enough_nodes() const {
    const int lacking = setup_.least_nodes - nodes_;
    if (lacking <= 0) return 0;
    std::vector<double> repairs = back_;
    for (const Missing& m : missing_) repairs.push_back(m.until);
    const auto last = repairs.begin() + lacking - 1;
    std::ranges::nth_element(repairs, last);
    return *last;
  }
  double next_stop() {
    const double failure = next_failure();
    return std::min(failure, std::max(now_, next_node()));
  }

  /// Continues from the present failure, or from a node that comes back, until the job works again.
  void recover() {
    do {
      const double failure = next_failure(), node = std::max(now_, next_node());
      now_ = std::min(failure, node);
      double noticed = now_;
      if (failure <= node) {
        fail_now();
        noticed += setup_.detection;
      }
      const double ready = std::max({noticed, down_until_, enough_nodes()});
      if (std::isinf(ready)) {
        end_.why_not = fmt::format("the job waits for components that are never repaired: {}", broken_);
        return;
      }
      const double next = next_failure();
      double again = next;
      if (ready < next) {
        return_nodes(ready);
        const double read = nodes_ == setup_.nodes ? setup_.read : setup_.pace(nodes_).read;
        again = std::min(next, ready + setup_.restart + (saved_ > 0 ? read : 0));
      }
      spend(Loss::detection, std::min(noticed, next));
      spend(Loss::repair, std::min(ready, next));
      spend(Loss::restart, again);
      if (check_limit()) return;
    } while (now_ == next_failure() && end_.why_not.empty());
  }

  /// Takes nodes that are repaired by `time`: they replace missing ones, or stand by as spares.
  void return_nodes(double time) {
    for (std::size_t i = 0; i < missing_.size();) {
      if (missing_[i].until > time) {
        ++i;
        continue;
      }
      missing_.erase(missing_.begin() + static_cast<std::ptrdiff_t>(i));
      ++nodes_;
    }
    for (; !back_.empty() && back_.front() <= time; ++spares_) take_spare();
    while (!missing_.empty() && spares_ > 0) { // the broken node becomes a spare once it is repaired
      --spares_;
      ++nodes_;
      add_spare(missing_.back().until);
      outages_.replace_node(missing_.back().node, time);
      missing_.pop_back();
    }
  }

  void add_spare(double until) {
    if (!std::isfinite(until)) return;
    back_.push_back(until);
    std::ranges::push_heap(back_, std::greater<>());
  }
  /// Returns when the first one is repaired.
  double take_spare() {
    std::ranges::pop_heap(back_, std::greater<>());
    const double until = back_.back();
    back_.pop_back();
    return until;
  }

  void spend(Loss loss, double until) {
    if (until <= now_) return;
    life().at(loss) += until - now_;
    now_ = until;
  }

  void wait_for_repair(const Component& component, const Outage& outage) {
    if (outage.until <= down_until_) return;
    down_until_ = outage.until;
    name_broken(component, outage);
  }
  void name_broken(const Component& component, const Outage& outage) {
    broken_ = fmt::format("{}, since {:.6g} s", component.name, outage.at);
  }

  /// The node works again after its repair, or when the first spare comes back that no other node waits for.
  void wait_for_node(const Component& component) {
    std::erase_if(awaiting_spares_, [this](const Missing& m) { return m.until <= now_; });
    const auto known = std::ranges::find(awaiting_spares_, component.node, &Missing::node);
    if (component.node >= 0 && known != awaiting_spares_.end()) { // its spare also replaces this part
      outages_.take_replaced(known->until);
    } else if (!back_.empty() && back_.front() < outages_.peek().until) {
      const double spare = take_spare();
      add_spare(outages_.take_replaced(spare).until);
      awaiting_spares_.push_back({component.node, spare});
      down_until_ = std::max(down_until_, spare);
    } else {
      wait_for_repair(component, outages_.take());
    }
  }

  void fail_now() {
    return_nodes(now_);
    const Component& component = components_[outages_.peek().component];
    ++life().failures[static_cast<std::size_t>(component.kind)];
    const bool of_node = component.kind != ComponentKind::link && component.kind != ComponentKind::switch_;
    if (of_node && spares_ > 0) {
      --spares_;
      add_spare(outages_.take_replaced(now_).until);
    } else if (elastic() && component.node >= 0) {
      const Outage outage = outages_.take();
      missing_.push_back({component.node, outage.until});
      --nodes_;
      life().fewest_nodes = std::clamp(nodes_, setup_.least_nodes, life().fewest_nodes);
      if (nodes_ < setup_.least_nodes) name_broken(component, outage);
    } else if (of_node) {
      wait_for_node(component);
    } else {
      wait_for_repair(component, outages_.take());
    }
    const std::int64_t count = life().failure_count();
    if (setup_.deadline && count % 1024 == 0 && std::chrono::steady_clock::now() > *setup_.deadline)
      end_.why_not =
          fmt::format("the run took longer than limits.wall_time: {} failures, and {} of {} iterations are done", count,
                      saved_ / setup_.nodes, setup_.iterations);
    if (count >= failures_without_end)
      end_.why_not =
          fmt::format("the job fails too often to make progress: {} failures, and {} of {} iterations are done", count,
                      saved_ / setup_.nodes, setup_.iterations);
  }

  bool check_limit() {
    if (!setup_.time_limit || now_ <= *setup_.time_limit) return false;
    if (end_.why_not.empty())
      end_.why_not =
          fmt::format("the simulated clock passed limits.simulated_time, {:.6g} s: {} failures, and {} of {} "
                      "iterations are done",
                      *setup_.time_limit, life().failure_count(), saved_ / setup_.nodes, setup_.iterations);
    return true;
  }

  struct Missing {
    int node;
    double until; ///< its repair, or that of the spare that replaces it
  };

  Pace full_; ///< of all nodes
  const LifetimeSetup& setup_;
  Outages& outages_;
  const std::vector<Component>& components_;
  LifeEnd end_;
  double now_ = 0, down_until_ = 0;
  std::int64_t saved_ = 0; ///< iterations of one node in the last complete checkpoint
  int spares_, nodes_;
  std::int64_t all_;                     ///< iterations of one node to do in total
  std::vector<double> back_;             ///< a heap: repair times of replaced nodes, without spares that nodes wait for
  std::vector<Missing> missing_;         ///< nodes that the job works without
  std::vector<Missing> awaiting_spares_; ///< nodes that the job waits for, until a spare is repaired
  std::string broken_;
};

} // namespace

std::int64_t iterations_between(const LifetimeSetup& setup, double period) {
  if (setup.every > 0 || setup.every_time <= 0) return setup.every;
  constexpr double rounding = 1e-9; // the period is a difference of two times
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(setup.every_time / period * (1 - rounding))));
}

LifeEnd live(const IterationTimes& times, const LifetimeSetup& setup, Outages& outages,
             const std::vector<Component>& components) {
  return Life(times, setup, outages, components).run();
}

} // namespace gradflight
