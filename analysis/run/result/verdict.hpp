// What bounds a training step, from the critical path of its last iteration.
//
// The path gives the times of latency, bytes, sharing, waiting and computing (sim/result/result.hpp), and the tier of
// links that delayed its messages. Compute time beyond that of a rank of median speed is due to a straggler.
#pragma once

#include "sim/result/result.hpp"

#include <span>
#include <string>
#include <vector>

namespace gradflight {

struct Bottleneck;
struct PlatformSpec;
struct Scenario;

enum class Bounding {
  compute,
  latency,
  nic,
  uplink,     ///< links between switches, or between nodes without switches
  intra_node, ///< links between GPUs: NVLink, xGMI
  pcie,
  host_links, ///< between sockets, and to their memory
  reducer,
  server,
  straggler,
  codec,
  host,
  traffic,  ///< other users' flows
  outage,   ///< links that are down
  protocol, ///< messages that wait for their turn
  sharing   ///< shared links, if the engine does not identify them
};
inline constexpr int bounding_count = 16;
/// Returns the name in results, such as "compute"; all links within nodes have the same name there.
const char* bounding_name(Bounding what);
/// Name in sentences, such as "the NICs"; for links, the name on most platforms.
const char* bounding_noun(Bounding what);
/// Returns the name for this platform, such as "links between nodes" or "xGMI".
std::string bound_noun(Bounding what, const PlatformSpec& platform);

struct Bound {
  Bounding what = Bounding::compute;
  double share = 0;   ///< of iteration_time, in (0, 1]
  std::string name{}; ///< name on this platform in sentences; empty: bounding_noun()
  [[nodiscard]] std::string noun() const;
  [[nodiscard]] const char* verb() const; ///< "bounds", or "bound" if the noun is a plural
};

/// Returns bounds, largest first; shares sum to 1. Empty if the iteration took no time. Each outage for which the step
/// waited is a separate bound.
std::vector<Bound> bound_by(const Scenario& scenario, const RunResult& result);
/// A critical path, or a part of one.
struct OwnPath {
  const Path& path;
  const HeldBy& held;
  const PathDetails& details;
  std::span<const ChangeCost> costs{};   ///< what changes have cost it
  std::span<const LinkOutage> outages{}; ///< of links for which it waited
};
/// The same for the part of the run's path from `begin` to `end`, counted like IterationResult::end.
std::vector<Bound> bound_by(const Scenario& scenario, const RunResult& result, const OwnPath& own, double begin,
                            double end);
/// The same for an operation alone. `own_hops`: a library's hops have their own times, independent of the links'
/// latencies. `copies`: the library's ranks copy what they keep.
std::vector<Bound> bound_by(const PlatformSpec& platform, const OwnPath& path, bool own_hops = false,
                            bool copies = false);

/// For bounds that are not empty: returns those that share the first place, ...
std::span<const Bound> first_bounds(const std::vector<Bound>& bounds);
/// ... as "the NICs and the uplinks", with the matching verb.
std::string first_nouns(const std::vector<Bound>& bounds);
const char* first_verb(const std::vector<Bound>& bounds);

/// Returns "The NICs bound the step: 94.0 % of 148.89 ms; then reduction 5.9 %, latency 0.1 %."
std::string verdict_text(const std::vector<Bound>& bounds, double iteration_time);

/// Returns the bound that a tier of links belongs to; `servers`: the bound of servers' cables.
Bounding bounding_of(LinkTier tier, Bounding servers = Bounding::nic);
Bounding bounding_of(LinkTier tier, const Scenario& scenario);

/// Returns the bound of the step if it differs from the most shared links: "beyond the NICs, 65.0 % of the step: ";
/// else an empty text. In the first case, removes the links that bound the step from `bottlenecks`.
std::string beyond_text(const std::vector<Bound>& bounds, std::vector<Bottleneck>& bottlenecks,
                        const Scenario& scenario);

} // namespace gradflight
