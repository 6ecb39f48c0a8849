#include "sim/simgrid/simgrid_engine.hpp"

#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/hybrid.hpp"
#include "sim/jobs.hpp"
#include "sim/simgrid/simgrid_module.hpp"
#include "sim/training_plans.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

namespace gradflight {

namespace {

/// Every transfer is one of SimGrid's.
class SimgridNetwork final : public Network {
public:
  SimgridNetwork(Executor& executor, SimgridTransfers& transfers) : executor_(executor), transfers_(transfers) {}
  void begin(MessageId id, double now) override {
    Message& m = transport().messages()[id];
    m.flowing = true;
    ++under_way_;
    begun_ = std::max(begun_, id + 1);
    executor_.machine().ledger.enter(m, now);
    transfers_.begin(id, m.wire * m.slowing, transport().sender_place(m), transport().receiver_place(m));
  }
  void end(MessageId, double) override {}
  [[nodiscard]] double carried(MessageId id, double) const override {
    return executor_.transport().messages()[id].wire - transfers_.remaining(id);
  }
  double cut(MessageId id, double now) override {
    Message& m = transport().messages()[id];
    m.wire = carried(id, now);
    leave(m, now);
    transfers_.cut(id);
    return m.wire;
  }
  [[nodiscard]] bool takes_ways() const override { return false; }
  void settle(double) override {}
  [[nodiscard]] bool has_unscheduled_bytes() const override { return under_way_ > 0; }
  void changing(std::int32_t link, double now) override {
    for (MessageId id = 0; id < begun_; ++id)
      if (transport().messages()[id].flowing && std::ranges::count(transport().messages()[id].links, link) > 0)
        transport().link_changes(id, now);
  }
  void changed(std::int32_t link) override { transfers_.share_again(link); }

  void completed(MessageId id, double now) {
    if (executor_.over_before(now)) { // transfers of late backup workers continue in SimGrid
      --under_way_;
      return;
    }
    leave(transport().messages()[id], now);
    transport().arrived(id, now);
    executor_.settle(now);
  }

private:
  Transport& transport() { return executor_.transport(); }
  void leave(Message& m, double now) {
    m.flowing = false;
    --under_way_;
    executor_.machine().ledger.leave(m, now);
  }

  Executor& executor_;
  SimgridTransfers& transfers_;
  MessageId begun_ = 0;        ///< above all numbers of messages that have begun
  std::int64_t under_way_ = 0; ///< number of transfers
};

/// SimGrid moves the bytes: its clock stops at each event of the executor, and at each end of a transfer.
class TransfersRun final : public SimgridRun {
public:
  explicit TransfersRun(Executor& executor) : executor_(executor) {}
  void start(SimgridTransfers& transfers) override {
    network_.emplace(executor_, transfers);
    executor_.transport().use(*network_);
    executor_.start();
  }
  double time_to_next(double now) override {
    const double next = executor_.next();
    return next < Calendar::never ? std::max(0.0, next - now) : -1;
  }
  /// Changes apply one round later at the same time, because SimGrid reports transfers that end in between.
  void reached(double now) override {
    executor_.advance(now, seen_);
    seen_ = now;
  }
  void completed(std::size_t number, double now) override { network_->completed(static_cast<MessageId>(number), now); }
  [[nodiscard]] double bandwidth(std::int32_t link) const override { return executor_.machine().links.bandwidth(link); }
  std::span<const std::int32_t> route(int from, int to) override {
    executor_.machine().platform.route(from, to, route_);
    return {route_.data(), route_.size()};
  }

private:
  Executor& executor_;
  Route route_;
  std::optional<SimgridNetwork> network_;
  double seen_ = -1;
};

/// SimGrid has only the clock (hybrid). The executor runs ahead by many instants at a time and the clock follows. This
/// avoids SimGrid's round over all its models for each instant.
class ClockRun final : public SimgridRun {
public:
  explicit ClockRun(Executor& executor) : executor_(executor), network_(fair_network(executor)) {}
  void start(SimgridTransfers&) override {
    executor_.transport().use(*network_);
    executor_.start();
  }
  double time_to_next(double now) override {
    constexpr int instants_at_a_time = 4096;
    double reached = now;
    for (int i = 0; i < instants_at_a_time && executor_.next() < Calendar::never; ++i) {
      reached = executor_.next();
      executor_.advance(reached);
    }
    return reached > now || executor_.next() < Calendar::never ? reached - now : -1;
  }
  void reached(double) override {}
  void completed(std::size_t, double) override {}
  [[nodiscard]] double bandwidth(std::int32_t) const override { return 0; }
  std::span<const std::int32_t> route(int, int) override { return {}; }

private:
  Executor& executor_;
  std::unique_ptr<Network> network_;
};

/// `changes`: of the run.
SimgridPlatform simgrid_platform(const Platform& platform, std::span<const PlatformChange> changes) {
  SimgridPlatform simgrid{.places = static_cast<int>(platform.places().size()), .links = {}};
  for (const DirectedLink& link : platform.links()) simgrid.links.push_back({.bandwidth = link.bandwidth});
  for (const PlatformChange& change : changes) {
    if (change.what != PlatformChange::What::bandwidth) continue;
    SimgridPlatform::Link& link = simgrid.links[static_cast<std::size_t>(change.target)];
    link.bandwidth = std::max({link.bandwidth, 2 * change.value, 2 * platform.link(change.target).bandwidth});
    link.changes = true;
  }
  return simgrid;
}

} // namespace

PlansResult run_plans_on_simgrid(const PlatformSpec& spec, const Platform& platform,
                                 std::span<PlanSequence* const> plans, EngineKind kind, const EngineOptions& options) {
  Executor executor(spec, platform, plans, options);
  if (kind == EngineKind::simgrid) {
    TransfersRun run(executor);
    run_on_simgrid(run, simgrid_platform(platform, options.changes));
    return executor.finish();
  }
  ClockRun run(executor);
  run_on_simgrid(run, {});
  return executor.finish();
}

RunResult simulate_on_simgrid(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  try {
    if (!scenario.jobs.empty())
      return simulate_jobs(scenario, platform, options, JobsRun::together,
                           [&](std::span<PlanSequence* const> plans, const EngineOptions& engine) {
                             return run_plans_on_simgrid(scenario.platform, platform, plans, scenario.engine.kind,
                                                         engine);
                           });
    TrainingPlans plans(scenario, platform);
    PlanSequence* const only[] = {&plans};
    return plans.result(run_plans_on_simgrid(scenario.platform, platform, only, scenario.engine.kind,
                                             engine_options(scenario, platform, options)));
  } catch (const ShortcutFails&) { // SimGrid can run only once per process, so use the executor's own loop
    return simulate_step_by_step(scenario, platform, options);
  }
}

} // namespace gradflight
