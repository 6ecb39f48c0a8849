// What bounds a training step, by the critical path of its last iteration.
//
// The path says how long was spent on latency, bytes, sharing, waiting and computing (sim/result/result.hpp), and which
// tier of links held up its messages. Compute beyond what a rank of median speed takes is a straggler's.
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
  uplink,     ///< links between switches, or between nodes where no switch lies between
  intra_node, ///< links between GPUs: NVLink, xGMI
  pcie,
  host_links, ///< between sockets, and their memory
  reducer,
  server,
  straggler,
  codec,
  host,
  traffic,  ///< other users' flows
  outage,   ///< links that are down
  protocol, ///< messages that wait for their turn
  sharing   ///< links that messages share, where the engine does not tell which
};
inline constexpr int bounding_count = 16;
/// "compute", ..., as in results; all links within nodes have one name there.
const char* bounding_name(Bounding what);
const char* bounding_noun(Bounding what); ///< "the NICs", ..., in sentences; links as most platforms have them
/// The same as this platform has them: "links between nodes", "xGMI".
std::string bound_noun(Bounding what, const PlatformSpec& platform);

struct Bound {
  Bounding what = Bounding::compute;
  double share = 0;   ///< of iteration_time, in (0, 1]
  std::string name{}; ///< what this platform calls it, in sentences; empty: bounding_noun()
  [[nodiscard]] std::string noun() const;
  [[nodiscard]] const char* verb() const; ///< "bounds", or "bound" where the noun is a plural
};

/// Largest first; shares sum to 1. Empty where the iteration took no time. Each outage that the step has waited for is
/// a bound of its own.
std::vector<Bound> bound_by(const Scenario& scenario, const RunResult& result);
/// A critical path of an operation that is alone on a platform.
struct OwnPath {
  const Path& path;
  const HeldBy& held;
  const PathDetails& details;
};
/// The same of an operation. `own_hops`: a library's hops have times of their own, whatever the links' latencies.
std::vector<Bound> bound_by(const PlatformSpec& platform, const OwnPath& path, bool own_hops = false);

/// Of bounds that are not empty: those that tie for the first place, ...
std::span<const Bound> first_bounds(const std::vector<Bound>& bounds);
/// ... as "the NICs and the uplinks", and the verb for them.
std::string first_nouns(const std::vector<Bound>& bounds);
const char* first_verb(const std::vector<Bound>& bounds);

/// "The NICs bound the step: 94.0 % of 148.89 ms; then reduction 5.9 %, latency 0.1 %."
std::string verdict_text(const std::vector<Bound>& bounds, double iteration_time);

/// What the links of a tier count for.
Bounding bounding_of(LinkTier tier, const Scenario& scenario);

/// What bounds the step, where that is no link like those that messages have shared most: "beyond the NICs, 65.0 % of
/// the step: "; else nothing. Then `bottlenecks` loses the links that do bound it.
std::string beyond_text(const std::vector<Bound>& bounds, std::vector<Bottleneck>& bottlenecks,
                        const Scenario& scenario);

} // namespace gradflight
