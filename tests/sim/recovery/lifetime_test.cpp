// Lifetimes of jobs that restart, compared with a simulation of each iteration.
#include "sim/recovery/lifetime.hpp"
#include "sim/result/result.hpp"
#include "tests/sim/recovery/failing_parts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <rapidcheck.h>

using namespace gradflight;

namespace {

/// Simulates one iteration, one checkpoint write, and one wait at a time.
class PlainLife {
public:
  PlainLife(const IterationTimes& times, const LifetimeSetup& setup, Outages& outages,
            const std::vector<Component>& components)
      : times_(times), setup_(setup), outages_(outages), components_(components), spares_(setup.spares) {}

  Lifetime live() {
    while (setup_.asynchronous ? !meanwhile() : !standing_still()) recover();
    life_.elapsed = now_;
    life_.useful = times_.whole(setup_.iterations);
    return life_;
  }

private:
  /// Returns true if the job has ended, and false at a failure.
  bool standing_still() {
    for (;;) {
      const std::int64_t left = setup_.iterations - saved_,
                         some = setup_.every > 0 ? std::min(left, setup_.every) : left;
      const double work = times_.whole(some);
      if (outages_.next() < now_ + work) return lose(Loss::redone);
      now_ += work;
      if (some == left) return true;
      if (outages_.next() < now_ + setup_.write) return lose(Loss::redone, work), lose(Loss::checkpoint);
      now_ += setup_.write;
      life_.at(Loss::checkpoint) += setup_.write;
      saved_ += some;
      ++life_.checkpoints;
    }
  }
  bool meanwhile() {
    const double start = now_;
    std::int64_t done = 0, writing = 0; // iterations since the start, and the part of them in the current write
    double written_at = -1;             // end of the current write; -1: none
    double stood = 0, kept_work = 0;    // since the start
    const std::int64_t first = saved_, left = setup_.iterations - first;
    const auto finish_write = [&](double until) {
      if (written_at < 0 || written_at > until) return;
      saved_ = first + writing;
      ++life_.checkpoints;
      kept_work = times_.end(writing);
      written_at = -1;
    };
    const auto fail_at = [&](double failure) {
      finish_write(failure);
      life_.at(Loss::checkpoint) += stood;
      life_.at(Loss::redone) += failure - start - stood - kept_work;
      now_ = failure;
      return false;
    };
    while (done < left) {
      const double end = now_ + (done + 1 == left ? times_.whole(left) : times_.end(done + 1)) - times_.end(done);
      if (outages_.next() < end) return fail_at(outages_.next());
      finish_write(end);
      now_ = end;
      ++done;
      if (done == left || setup_.every == 0 || done % setup_.every != 0) continue;
      if (written_at > now_) {
        if (outages_.next() < written_at) {
          stood += outages_.next() - now_;
          return fail_at(outages_.next());
        }
        stood += written_at - now_;
        now_ = written_at;
        finish_write(now_);
      }
      writing = done;
      written_at = now_ + setup_.write;
    }
    life_.at(Loss::checkpoint) += stood;
    return true;
  }
  bool lose(Loss loss) {
    life_.at(loss) += outages_.next() - now_;
    now_ = outages_.next();
    return false;
  }
  bool lose(Loss loss, double seconds) {
    life_.at(loss) += seconds;
    return false;
  }
  void recover() {
    for (;;) {
      now_ = outages_.next();
      ++life_.failures[static_cast<std::size_t>(components_[outages_.peek().component].kind)];
      std::erase_if(away_, [&](double back) {
        spares_ += back <= now_ ? 1 : 0;
        return back <= now_;
      });
      const bool of_node = components_[outages_.peek().component].kind == ComponentKind::node;
      const auto spare = std::ranges::min_element(away_); // the first one to come back
      if (of_node && spares_ > 0) {
        --spares_;
        away_.push_back(outages_.take_replaced(now_).until);
      } else if (of_node && spare != away_.end() && *spare < outages_.peek().until) {
        down_ = std::max(down_, *spare);
        *spare = outages_.take_replaced(*spare).until;
      } else {
        down_ = std::max(down_, outages_.take().until);
      }
      const double read = saved_ > 0 ? setup_.read : 0;
      bool again = false;
      for (const auto& [loss, until] :
           {std::pair(Loss::detection, now_ + setup_.detection),
            {Loss::repair, std::max(now_ + setup_.detection, down_)},
            {Loss::restart, std::max(now_ + setup_.detection, down_) + setup_.restart + read}}) {
        if (again || until <= now_) continue;
        const double to = std::min(until, outages_.next());
        life_.at(loss) += to - now_;
        now_ = to;
        again = to == outages_.next();
      }
      if (!again) return;
    }
  }

  const IterationTimes& times_;
  const LifetimeSetup& setup_;
  Outages& outages_;
  const std::vector<Component>& components_;
  Lifetime life_;
  double now_ = 0, down_ = 0;
  std::int64_t saved_ = 0;
  int spares_;
  std::vector<double> away_;
};

double all_lost(const Lifetime& life) { return std::accumulate(life.lost.begin(), life.lost.end(), 0.0); }

} // namespace

TEST_CASE("jumping over what repeats comes to the same as living it") {
  REQUIRE(rc::check("jumps = one iteration at a time", [] {
    const auto between = [](int least, int most) { return *rc::gen::inRange(least, most + 1); };
    LifetimeSetup setup;
    setup.iterations = between(1, 400);
    setup.every = between(0, 30);
    setup.write = between(0, 60) * 0.1 + 0.0137; // except for rounding, no write ends together with an iteration
    setup.read = between(0, 20) * 0.1;
    setup.asynchronous = *rc::gen::arbitrary<bool>();
    setup.detection = between(0, 10) * 0.1;
    setup.restart = between(0, 20) * 0.1;
    setup.spares = between(0, 2);
    const auto seed = between(0, 1'000'000);
    const auto components = nodes_and_links(3, 2);
    const FailureSpec failures = rates(between(100, 900), between(200, 2000), between(0, 30), seed);
    // Iterations with different times first, then repeated ones; a pipeline drains.
    RunResult run;
    double end = 0;
    for (const double time : {0.7, 1.4, 1.1, 1.1, 1.1}) run.iterations.push_back({end += time, {}});
    run.time = end + 0.3;
    const IterationTimes times(run);
    RC_ASSERT(times.steady());
    Outages drawn(failures, components, 0), again(failures, components, 0);
    const LifeEnd jumped = live(times, setup, drawn, components);
    const Lifetime plain = PlainLife(times, setup, again, components).live();
    RC_LOG() << "every " << setup.every << " write " << setup.write << (setup.asynchronous ? " async" : "") << "\n";
    RC_ASSERT(jumped.why_not.empty());
    const Lifetime& life = jumped.life;
    RC_ASSERT(life.failures == plain.failures);
    RC_ASSERT(life.checkpoints == plain.checkpoints);
    const double tiny = 1e-9 * plain.elapsed;
    RC_ASSERT(std::abs(life.elapsed - plain.elapsed) <= tiny);
    for (const Loss loss : {Loss::detection, Loss::restart, Loss::redone, Loss::repair})
      RC_ASSERT(std::abs(life.at(loss) - plain.at(loss)) <= tiny);
    RC_ASSERT(std::abs(life.useful + all_lost(life) - life.elapsed) <= tiny);
  }));
}

namespace {

/// Simulates an elastic job, one iteration and one write at a time; it does not compute while it writes.
class PlainElastic {
public:
  PlainElastic(const LifetimeSetup& setup, const Pace& full, Outages& outages, const std::vector<Component>& components)
      : setup_(setup), full_(full), outages_(outages), components_(components), spares_(setup.spares),
        working_(setup.nodes), fewest(setup.nodes) {}

  double live() {
    const std::int64_t all = setup_.iterations * setup_.nodes;
    for (;;) {
      const Pace& pace = pace_now();
      const double stop = std::min(next_failure(), std::max(now_, next_node()));
      // `since` counts iterations since the last start or checkpoint; `done` is summed over the nodes.
      for (std::int64_t since = 0, done = saved_;;) {
        const bool last = done + working_ >= all;
        const double end = now_ + pace.times.whole(since + 1);
        if (end > stop) break;
        done += working_;
        ++since;
        if (last) return end;
        if (setup_.every == 0 || since < setup_.every) continue;
        now_ = end;
        if (now_ + pace.write > stop) break;
        now_ += pace.write;
        saved_ = done;
        since = 0;
        ++checkpoints;
      }
      now_ = stop;
      come_back();
    }
  }

private:
  const Pace& pace_now() const { return working_ == setup_.nodes ? full_ : setup_.pace(working_); }
  double next_failure() {
    const auto unused = [&] {
      return std::ranges::any_of(away_, [&](const auto& gone) {
        return gone.first == components_[outages_.peek().component].node && outages_.next() < gone.second;
      });
    };
    while (unused()) outages_.take();
    return outages_.next();
  }
  double next_node() const {
    double next = std::numeric_limits<double>::infinity();
    if (away_.empty()) return next;
    for (const auto& gone : away_) next = std::min(next, gone.second);
    for (const double repaired : broken_spares_) next = std::min(next, repaired);
    return next;
  }
  void welcome(double time) {
    working_ += static_cast<int>(std::erase_if(away_, [&](const auto& gone) { return gone.second <= time; }));
    spares_ += static_cast<int>(std::erase_if(broken_spares_, [&](double repaired) { return repaired <= time; }));
    for (; spares_ > 0 && !away_.empty(); --spares_, ++working_) {
      broken_spares_.push_back(away_.back().second);
      away_.pop_back();
    }
  }
  void come_back() {
    for (;;) {
      double ready = now_;
      if (next_failure() <= now_) {
        welcome(now_);
        const Component& component = components_[outages_.peek().component];
        ++failures;
        const bool elastic = setup_.least_nodes < setup_.nodes;
        const auto spare = std::ranges::min_element(broken_spares_); // the first one to come back
        if (component.kind == ComponentKind::node && spares_ > 0) {
          --spares_;
          broken_spares_.push_back(outages_.take_replaced(now_).until);
        } else if (component.kind == ComponentKind::node && !elastic && spare != broken_spares_.end() &&
                   *spare < outages_.peek().until) {
          down_ = std::max(down_, *spare);
          *spare = outages_.take_replaced(*spare).until;
        } else if (const double until = outages_.take().until; component.node >= 0 && elastic) {
          away_.emplace_back(component.node, until);
          --working_;
          fewest = std::clamp(working_, setup_.least_nodes, fewest);
        } else {
          down_ = std::max(down_, until);
        }
        ready += setup_.detection;
      }
      ready = std::max(ready, down_);
      const double failure = next_failure();
      if (ready < failure) welcome(ready);
      while (ready < failure && working_ < setup_.least_nodes) { // waits for one repair after the other
        ready = next_node();
        if (ready < failure) welcome(ready);
      }
      now_ = failure;
      if (ready >= failure) continue;
      const double again = ready + setup_.restart + (saved_ > 0 ? pace_now().read : 0);
      now_ = std::min(again, failure);
      if (again < failure) return;
    }
  }

  const LifetimeSetup& setup_;
  const Pace& full_;
  Outages& outages_;
  const std::vector<Component>& components_;
  double now_ = 0, down_ = 0;
  std::int64_t saved_ = 0;
  int spares_, working_;
  std::vector<std::pair<int, double>> away_;
  std::vector<double> broken_spares_;

public:
  int fewest;
  std::int64_t checkpoints = 0, failures = 0;
};

} // namespace

TEST_CASE("a job goes on with fewer nodes, and on more once they are repaired") {
  REQUIRE(rc::check("jumps = one iteration at a time", [] {
    const auto between = [](int least, int most) { return *rc::gen::inRange(least, most + 1); };
    LifetimeSetup setup;
    setup.iterations = between(1, 300);
    setup.every = between(0, 20);
    setup.write = between(0, 60) * 0.1 + 0.0137;
    setup.read = between(0, 20) * 0.1;
    setup.detection = between(0, 10) * 0.1;
    setup.restart = between(0, 20) * 0.1;
    setup.spares = between(0, 1);
    setup.nodes = between(2, 5);
    setup.least_nodes = between(1, setup.nodes);
    auto components = nodes_and_links(setup.nodes, 2);
    for (int n = 0; n < setup.nodes; ++n) components[static_cast<std::size_t>(n)].node = n;
    const FailureSpec failures =
        rates(between(200, 900), between(400, 2000), between(1, 200) + 0.0071, between(0, 1'000'000));
    std::vector<Pace> paces;
    for (int n = 0; n <= setup.nodes; ++n)
      paces.push_back({IterationTimes(1.1 - 0.013 * n), 1.37 - 0.1 * n + setup.write, setup.read + 0.1 * n});
    paces.back().write = setup.write;
    paces.back().read = setup.read;
    setup.pace = [&paces](int nodes) -> const Pace& { return paces[static_cast<std::size_t>(nodes)]; };
    Outages drawn(failures, components, 0), again(failures, components, 0);
    const LifeEnd jumped = live(paces.back().times, setup, drawn, components);
    PlainElastic plain(setup, paces.back(), again, components);
    const double elapsed = plain.live();
    RC_LOG() << "nodes " << setup.nodes << " least " << setup.least_nodes << " every " << setup.every << "\n";
    RC_ASSERT(jumped.why_not.empty());
    const Lifetime& life = jumped.life;
    RC_ASSERT(std::abs(life.elapsed - elapsed) <= 1e-9 * elapsed);
    RC_ASSERT(life.failure_count() == plain.failures);
    RC_ASSERT(life.checkpoints == plain.checkpoints);
    RC_ASSERT(life.fewest_nodes == (setup.least_nodes == setup.nodes ? 0 : plain.fewest));
    RC_ASSERT(std::abs(life.useful + all_lost(life) - life.elapsed) <= 1e-9 * elapsed);
  }));
}
