#include "sim/simgrid/simgrid_engine.hpp"

#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/hybrid.hpp"
#include "sim/jobs.hpp"
#include "sim/training_plans.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <xbt/log.h>

namespace gradflight {

namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

/// SimGrid takes whole bytes, but a compressed message may weigh a fraction. A power of two changes no digit.
constexpr double units_per_byte = 1 << 26;

/// The executor's calendar as a model on SimGrid's clock.
class CalendarModel final : public simgrid::kernel::resource::Model {
public:
  explicit CalendarModel(Executor& executor) : Model("gradflight"), executor_(executor) {}
  double next_occurring_event(double now) override {
    const double next = executor_.next();
    return next < Calendar::never ? std::max(0.0, next - now) : -1;
  }
  /// Changes apply one round later at the same time, because SimGrid reports transfers that end in between.
  void update_actions_state(double now, double) override {
    executor_.advance(now, seen_);
    seen_ = now;
  }

private:
  Executor& executor_;
  double seen_ = -1;
};

/// The same if nothing else uses the clock (hybrid). The executor runs ahead by many instants at a time and the clock
/// follows. This avoids SimGrid's round over all its models for each instant.
class AheadModel final : public simgrid::kernel::resource::Model {
public:
  explicit AheadModel(Executor& executor) : Model("gradflight"), executor_(executor) {}
  double next_occurring_event(double now) override {
    constexpr int instants_at_a_time = 4096;
    double reached = now;
    for (int i = 0; i < instants_at_a_time && executor_.next() < Calendar::never; ++i) {
      reached = executor_.next();
      executor_.advance(reached);
    }
    return reached > now || executor_.next() < Calendar::never ? reached - now : -1;
  }
  void update_actions_state(double, double) override {}

private:
  Executor& executor_;
};

/// One flat zone with the platform's own routes, so that links and routes are decided in one place.
class PlatformZone final : public routing::NetZoneImpl {
public:
  explicit PlatformZone(const Platform& platform) : NetZoneImpl("platform"), platform_(platform) {}
  /// Declares links with changing bandwidth: SimGrid would limit a transfer to the bandwidth at its begin, even if
  /// links become faster. So its nominal bandwidth is above all its values; each sharing uses the present one.
  void name_changing(std::span<const PlatformChange> changes, const LinkState& now) {
    links_now_ = &now;
    for (const PlatformChange& change : changes)
      if (change.what == PlatformChange::What::bandwidth) {
        double& most = nominal_[change.target];
        most = std::max({most, 2 * change.value, 2 * platform_.link(change.target).bandwidth});
      }
  }
  void add_hosts_and_links() {
    s4u::NetZone* zone = get_iface();
    for (std::size_t i = 0; i < platform_.places().size(); ++i)
      hosts.push_back(zone->create_host(fmt::format("place{}", i), 1e9)->seal());
    for (std::size_t l = 0; l < platform_.links().size(); ++l)
      links_.push_back(add_link(*zone, static_cast<std::int32_t>(l)));
  }
  /// A link has another bandwidth: makes SimGrid share it again.
  void poke(std::int32_t link) {
    if (const auto found = nominal_.find(link); found != nominal_.end())
      links_[static_cast<std::size_t>(link)]->set_bandwidth(found->second * units_per_byte);
  }
  void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to, routing::Route* into,
                       double*) override {
    platform_.route(static_cast<int>(from->id()), static_cast<int>(to->id()), route_);
    for (const std::int32_t l : route_) into->link_list_.push_back(links_[static_cast<std::size_t>(l)]->get_impl());
  }
  std::vector<s4u::Host*> hosts;

private:
  s4u::Link* add_link(s4u::NetZone& zone, std::int32_t l) {
    const auto changing = nominal_.find(l);
    const double bandwidth = changing == nominal_.end() ? platform_.link(l).bandwidth : changing->second;
    s4u::Link* link = zone.create_link(fmt::format("link{}", l), bandwidth * units_per_byte);
    link->set_latency(0); // the calendar charges alpha, so that shares are equal
    if (changing != nominal_.end())
      link->set_sharing_policy(s4u::Link::SharingPolicy::NONLINEAR,
                               [this, l](double, int) { return links_now_->bandwidth(l) * units_per_byte; });
    link->seal();
    return link;
  }

  const Platform& platform_;
  const LinkState* links_now_ = nullptr;
  std::map<std::int32_t, double> nominal_; ///< of links that change: bytes per second, above all their values
  std::vector<s4u::Link*> links_;
  Route route_;
};

/// Every transfer is a plain S4U Comm.
class SimgridNetwork final : public Network {
public:
  SimgridNetwork(Executor& executor, PlatformZone& zone) : executor_(executor), zone_(zone), hosts_(zone.hosts) {
    s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) {
      const auto number = reinterpret_cast<std::uintptr_t>(activity.get_data<void>());
      if (number > 0) completed(static_cast<MessageId>(number - 1)); // 0: the transfer was cut
    });
  }
  SimgridNetwork(const SimgridNetwork&) = delete;
  SimgridNetwork& operator=(const SimgridNetwork&) = delete;
  /// Detaches transfers that a failure or the end of the run leaves under way, since SimGrid would report each; the
  /// process then ends.
  ~SimgridNetwork() override {
    for (s4u::CommPtr& comm : comms_)
      if (comm && comm->get_state() != s4u::Activity::State::FINISHED) comm.detach();
  }
  void begin(MessageId id, double now) override {
    Message& m = transport().messages()[id];
    m.flowing = true;
    ++under_way_;
    executor_.machine().ledger.enter(m, now);
    if (comms_.size() <= id) comms_.resize(id + 1);
    s4u::CommPtr comm = s4u::Comm::sendto_init();
    comm->set_payload_size(
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(m.wire * m.slowing * units_per_byte))));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): SimGrid only passes this number on and never dereferences it
    comm->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(id) + 1));
    comm->set_source(hosts_[static_cast<std::size_t>(transport().sender_place(m))]);
    // The slot's last comm must not be destroyed in its own callback, which may have started this message.
    if (comms_[id]) ended_.push_back(std::move(comms_[id]));
    comms_[id] = comm;
    comm->set_destination(hosts_[static_cast<std::size_t>(transport().receiver_place(m))]);
  }
  void end(MessageId, double) override {}
  [[nodiscard]] double carried(MessageId id, double) const override {
    return executor_.transport().messages()[id].wire - comms_[id]->get_remaining() / units_per_byte;
  }
  double cut(MessageId id, double now) override {
    Message& m = transport().messages()[id];
    m.wire = carried(id, now);
    m.flowing = false;
    --under_way_;
    executor_.machine().ledger.leave(m, now);
    comms_[id]->set_data(nullptr);
    comms_[id]->cancel();
    return m.wire;
  }
  [[nodiscard]] bool takes_ways() const override { return false; }
  void settle(double) override {}
  [[nodiscard]] bool has_unscheduled_bytes() const override { return under_way_ > 0; }
  void changing(std::int32_t link, double now) override {
    for (MessageId id = 0; id < comms_.size(); ++id)
      if (transport().messages()[id].flowing && std::ranges::count(transport().messages()[id].links, link) > 0)
        transport().link_changes(id, now);
  }
  void changed(std::int32_t link) override { zone_.poke(link); }

private:
  Transport& transport() { return executor_.transport(); }
  void completed(MessageId id) {
    const double now = s4u::Engine::get_clock();
    --under_way_;
    ended_.clear();
    if (executor_.over_before(now)) return; // transfers of late backup workers continue in SimGrid
    transport().messages()[id].flowing = false;
    executor_.machine().ledger.leave(transport().messages()[id], now);
    transport().arrived(id, now);
    executor_.settle(now);
  }
  Executor& executor_;
  PlatformZone& zone_;
  const std::vector<s4u::Host*>& hosts_;
  std::vector<s4u::CommPtr> comms_;
  std::int64_t under_way_ = 0;      ///< number of transfers
  std::vector<s4u::CommPtr> ended_; ///< their slots are in use again
};

void configure() {
  xbt_log_control_set("root.thresh:error");
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("network/TCP-gamma:1e30");
  s4u::Engine::set_config("surf/precision:1e-15");
  s4u::Engine::set_config("maxmin/precision:1e-9");
}

void run_on_simgrid(Executor& executor, const Platform& platform, EngineKind kind,
                    std::span<const PlatformChange> changes) {
  int argc = 1;
  char name[] = "gradflight";
  char* argv[] = {name, nullptr};
  const auto interrupted = std::signal(SIGINT, SIG_DFL);
  s4u::Engine engine(&argc, argv);
  std::signal(SIGINT, interrupted); // SimGrid's own handler would end the process with success
  configure();
  auto* zone = new PlatformZone(platform); // SimGrid owns its zones
  zone->name_changing(changes, executor.machine().links);
  if (kind == EngineKind::simgrid) zone->add_hosts_and_links();
  zone->get_iface()->seal();
  std::unique_ptr<Network> network;
  if (kind == EngineKind::simgrid)
    network = std::make_unique<SimgridNetwork>(executor, *zone);
  else
    network = fair_network(executor);
  executor.transport().use(*network);
  if (kind == EngineKind::simgrid)
    engine.add_model(std::make_shared<CalendarModel>(executor));
  else
    engine.add_model(std::make_shared<AheadModel>(executor));
  executor.start();
  engine.run();
}

} // namespace

PlansResult run_plans_on_simgrid(const PlatformSpec& spec, const Platform& platform,
                                 std::span<PlanSequence* const> plans, EngineKind kind, const EngineOptions& options) {
  Executor executor(spec, platform, plans, options);
  run_on_simgrid(executor, platform, kind, options.changes);
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
