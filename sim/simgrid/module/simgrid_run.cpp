// The loadable module: the only code that uses SimGrid.
#include "sim/simgrid/simgrid_module.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <xbt/log.h>

namespace {

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;
using gradflight::SimgridPlatform;
using gradflight::SimgridRun;

/// SimGrid takes whole bytes, but a compressed message may weigh a fraction. A power of two changes no digit.
constexpr double units_per_byte = 1 << 26;

/// The run's events as a model on SimGrid's clock.
class RunModel final : public simgrid::kernel::resource::Model {
public:
  explicit RunModel(SimgridRun& run) : Model("gradflight"), run_(run) {}
  double next_occurring_event(double now) override { return run_.time_to_next(now); }
  void update_actions_state(double now, double) override { run_.reached(now); }

private:
  SimgridRun& run_;
};

/// One flat zone with the platform's own routes, so that links and routes are decided in one place.
class PlatformZone final : public routing::NetZoneImpl {
public:
  PlatformZone(SimgridRun& run, const SimgridPlatform& platform)
      : NetZoneImpl("platform"), run_(run), platform_(platform) {
    s4u::NetZone* zone = get_iface();
    for (int i = 0; i < platform.places; ++i)
      hosts.push_back(zone->create_host(fmt::format("place{}", i), 1e9)->seal());
    for (std::size_t l = 0; l < platform.links.size(); ++l) links_.push_back(add_link(*zone, l));
    zone->seal();
  }
  /// A link has another bandwidth: makes SimGrid share it again.
  void share_again(std::size_t link) {
    if (platform_.links[link].changes) links_[link]->set_bandwidth(platform_.links[link].bandwidth * units_per_byte);
  }
  void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to, routing::Route* into,
                       double*) override {
    for (const std::int32_t l : run_.route(static_cast<int>(from->id()), static_cast<int>(to->id())))
      into->link_list_.push_back(links_[static_cast<std::size_t>(l)]->get_impl());
  }
  std::vector<s4u::Host*> hosts;

private:
  /// Declares links with changing bandwidth: SimGrid would limit a transfer to the bandwidth at its begin, even if
  /// links become faster. So its nominal bandwidth is above all its values; each sharing uses the present one.
  s4u::Link* add_link(s4u::NetZone& zone, std::size_t l) {
    s4u::Link* link = zone.create_link(fmt::format("link{}", l), platform_.links[l].bandwidth * units_per_byte);
    link->set_latency(0); // the calendar charges alpha, so that shares are equal
    if (platform_.links[l].changes)
      link->set_sharing_policy(s4u::Link::SharingPolicy::NONLINEAR, [this, l](double, int) {
        return run_.bandwidth(static_cast<std::int32_t>(l)) * units_per_byte;
      });
    link->seal();
    return link;
  }

  SimgridRun& run_;
  const SimgridPlatform& platform_;
  std::vector<s4u::Link*> links_;
};

/// Every transfer is a plain S4U Comm.
class Transfers final : public gradflight::SimgridTransfers {
public:
  Transfers(SimgridRun& run, PlatformZone& zone) : zone_(zone) {
    s4u::Activity::on_completion_cb([this, &run](const s4u::Activity& activity) {
      const auto data = reinterpret_cast<std::uintptr_t>(activity.get_data<void>());
      if (data == 0) return; // the transfer was cut
      ended_.clear();
      run.completed(data - 1, s4u::Engine::get_clock());
    });
  }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;
  /// Detaches transfers that a failure or the end of the run leaves under way, since SimGrid would report each; the
  /// process then ends.
  ~Transfers() {
    for (s4u::CommPtr& comm : comms_)
      if (comm && comm->get_state() != s4u::Activity::State::FINISHED) comm.detach();
  }
  void begin(std::size_t number, double bytes, int from, int to) override {
    if (comms_.size() <= number) comms_.resize(number + 1);
    s4u::CommPtr comm = s4u::Comm::sendto_init();
    comm->set_payload_size(
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(bytes * units_per_byte))));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): SimGrid only passes this number on and never dereferences it
    comm->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(number) + 1));
    comm->set_source(zone_.hosts[static_cast<std::size_t>(from)]);
    // The slot's last comm must not be destroyed in its own callback, which may have started this message.
    if (comms_[number]) ended_.push_back(std::move(comms_[number]));
    comms_[number] = comm;
    comm->set_destination(zone_.hosts[static_cast<std::size_t>(to)]);
  }
  [[nodiscard]] double remaining(std::size_t number) const override {
    return comms_[number]->get_remaining() / units_per_byte;
  }
  void cut(std::size_t number) override {
    comms_[number]->set_data(nullptr);
    comms_[number]->cancel();
  }
  void share_again(std::int32_t link) override { zone_.share_again(static_cast<std::size_t>(link)); }

private:
  PlatformZone& zone_;
  std::vector<s4u::CommPtr> comms_;
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

} // namespace

/// The module's only symbol: see run_on_simgrid().
extern "C" __attribute__((visibility("default"))) void gradflight_run_on_simgrid(SimgridRun& run,
                                                                                 const SimgridPlatform& platform) {
  int argc = 1;
  char name[] = "gradflight";
  char* argv[] = {name, nullptr};
  const auto interrupted = std::signal(SIGINT, SIG_DFL);
  s4u::Engine engine(&argc, argv);
  std::signal(SIGINT, interrupted); // SimGrid's own handler would end the process with success
  configure();
  auto* zone = new PlatformZone(run, platform); // SimGrid owns its zones
  Transfers transfers(run, *zone);
  engine.add_model(std::make_shared<RunModel>(run));
  run.start(transfers);
  engine.run();
}
