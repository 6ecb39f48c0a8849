// Flows of other traffic, drawn one after another. The same seed gives the same flows on every machine.
#pragma once

#include "platforms/code/platform.hpp"
#include "platforms/code/spec/traffic_spec.hpp"

#include <limits>
#include <span>

namespace gradflight {

/// In place of a node's number.
inline constexpr int outside_node = -1;

struct TrafficFlow {
  int from = 0, to = 0; ///< nodes, or outside_node
  double bytes = 0;     ///< infinity: until it is stopped
  double until = 0;     ///< when it is stopped, whatever it has carried; infinity: never
};

/// The flows of one entry of `traffic`, sorted by time.
class FlowSource {
public:
  static constexpr double never = std::numeric_limits<double>::infinity();
  /// Entries with one seed but different numbers draw different flows. `nodes`: without servers.
  FlowSource(const TrafficSpec& spec, std::uint32_t entry, int nodes);

  /// Returns when the next flows start; never: no more flows come.
  [[nodiscard]] double next() const { return next_; }
  /// Appends the flows that start at next(), which is then later.
  void take(std::vector<TrafficFlow>& out);

private:
  struct Phase {
    double at;
    std::size_t flow;
    bool operator>(const Phase& other) const { return at != other.at ? at > other.at : flow > other.flow; }
  };
  [[nodiscard]] bool draws_pairs() const;
  void make_pairs();
  void make_permutation();
  void set_next(double time);
  [[nodiscard]] double gap();
  [[nodiscard]] double phase(double mean);
  void arrive(std::vector<TrafficFlow>& out);
  void begin_phases(std::vector<TrafficFlow>& out);
  void add(int from, int to, double until, std::vector<TrafficFlow>& out);
  [[nodiscard]] std::size_t below(std::size_t count);

  TrafficSpec spec_;
  std::vector<int> from_, to_;
  std::vector<std::pair<int, int>> pairs_; ///< if they are not drawn for each arrival
  Uniforms times_, sizes_, ends_;
  double next_ = never, stop_ = never;
  std::int64_t arrived_ = 0, left_ = 0; ///< number of arrivals; number of flows to come
  std::vector<Phase> phases_;           ///< on_off: a heap of the times at which flows continue
};

/// Returns mistakes: unknown nodes and impossible patterns. Pointers are relative to the scenario: "/traffic/0/to".
/// `nodes`: without servers; `all`: with servers. `outside`: the network has an outside.
std::vector<PlatformError> traffic_errors(std::span<const TrafficSpec> traffic, int nodes, int all, bool outside);

/// "node 3", "nodes 0-7", "outside", "every node".
std::string end_text(const TrafficEnd& end);

} // namespace gradflight
