// Other traffic on the network: flows of `traffic` that belong to no plan. They share links as messages do, are on no
// critical path, and end with the run. O(1) memory for each flow under way.
#pragma once

#include "platforms/code/traffic.hpp"
#include "sim/engine/calendar/calendar.hpp"
#include "sim/engine/network/machine.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/result/result.hpp"

namespace gradflight {

/// Flows begin and end at the first place of their nodes.
class BackgroundFlows {
public:
  /// `acknowledged`: bytes of acknowledgements on the way back for each byte (under a protocol); 0: none.
  BackgroundFlows(std::span<const TrafficSpec> traffic, Machine& machine, Calendar& calendar, MessagePool& messages,
                  double acknowledged);

  [[nodiscard]] bool any() const { return !entries_.empty(); }
  void use(Network& network) { network_ = &network; }
  void start();

  // Events of the calendar:
  void begin(std::uint32_t entry, double now);
  void cut(MessageId id, double now);
  /// All of a flow's bytes have left.
  void ended(MessageId id, double now);

  /// Counts calls of begin() and further stretches of endless flows.
  [[nodiscard]] std::uint64_t stirs() const { return stirs_; }
  /// Nothing else will ever happen: no more flows begin, and flows without a size end.
  void give_up(double now);
  /// The run is over: counts what the flows under way have carried.
  void close(double now);
  [[nodiscard]] std::size_t under_way() const { return under_way_; }
  [[nodiscard]] std::vector<TrafficResult> results() const;

private:
  struct Entry {
    FlowSource source;
    double cap = 0;
    TrafficResult result;
  };
  struct State {
    std::uint32_t entry = 0;
    bool flowing = false;
    double begun = 0, alpha = 0;
    double left = 0;    ///< bytes after those that are on the links now; infinity: endless
    double carried = 0; ///< bytes before those
  };
  void set_out(std::uint32_t entry, const TrafficFlow& flow, double now);
  bool find_route(const TrafficFlow& flow, int from_place, int to_place);
  void next_stretch(MessageId id, double now);
  void release(MessageId id, double bytes);

  Machine& machine_;
  Calendar& calendar_;
  MessagePool& messages_;
  Network* network_ = nullptr;
  double acknowledged_;
  std::vector<Entry> entries_;
  std::vector<State> states_;      ///< of each message
  std::vector<TrafficFlow> flows_; ///< flows that begin at one instant; a member to keep its memory
  Route route_, back_;
  std::size_t under_way_ = 0;
  std::uint64_t stirs_ = 0;
  bool gave_up_ = false;
};

} // namespace gradflight
