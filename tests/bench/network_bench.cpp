// The hybrid engine's network under contention: N senders with different sizes to one receiver. So every end changes
// the shares of all others. Checked: the receiver's link is busy until the last byte.
#include "sim/engine/network/fair_network.hpp"

#include <benchmark/benchmark.h>
#include <cmath>

namespace gradflight {
namespace {

struct Count final : ArrivalSink {
  void arrived(MessageId /*id*/, double now) override {
    ++messages;
    last = now;
  }
  std::int64_t messages = 0;
  double last = 0;
};

/// Sends wire(i) bytes from each place i >= 1 to place 0; returns when the last byte arrived.
template <class Wire> Count incast(const Platform& platform, int senders, Wire wire) {
  Calendar calendar;
  MessagePool messages;
  LinkLedger ledger(platform.links().size());
  Delays delays(platform.links(), {});
  Count sink;
  const LinkState links(platform.links(), {});
  FairNetwork network(links, calendar, messages, ledger, delays, sink);
  Route route;
  for (int i = 1; i <= senders; ++i) {
    const MessageId id = messages.make();
    Message& message = messages[id];
    platform.route(i, 0, route);
    message.links.assign(route.begin(), route.end());
    message.wire = wire(i);
    network.begin(id, 0);
  }
  network.settle(0);
  std::vector<Event> due;
  while (calendar.next() != Calendar::never) {
    const double now = calendar.next();
    calendar.take(due);
    for (const Event& event : due) network.end(event.index, now);
    network.settle(now);
  }
  return sink;
}

void incast_bench(benchmark::State& state, bool equal) {
  const auto senders = static_cast<int>(state.range(0));
  PlatformSpec spec;
  spec.nodes = senders + 1;
  spec.network.link.bandwidth = ByteRate(1.25e9);
  const Platform platform = build_platform(spec, 0);
  const auto wire = [equal](int i) { return equal ? 1e6 : 1e6 + 1e3 * i; };
  double bytes = 0;
  for (int i = 1; i <= senders; ++i) bytes += wire(i);
  for ([[maybe_unused]] auto iteration : state) {
    const Count count = incast(platform, senders, wire);
    if (count.messages != senders) return state.SkipWithError("a message was lost");
    if (std::abs(count.last * 1.25e9 / bytes - 1) > 1e-9) return state.SkipWithError("the link was idle in between");
  }
  state.SetItemsProcessed(state.iterations() * senders);
}

BENCHMARK_CAPTURE(incast_bench, equal, true)->Arg(8)->Arg(64)->Arg(512);
BENCHMARK_CAPTURE(incast_bench, unequal, false)->Arg(8)->Arg(64)->Arg(512);

} // namespace
} // namespace gradflight
