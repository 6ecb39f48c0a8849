// What bounds a training step, by the critical path of its last iteration.
//
// The path says how long was spent on latency, bytes, sharing, computing (sim/result/result.hpp). Two things it does
// not say are made out here. Bytes (beta): each kind of link may claim what its busiest link needs for its own bytes,
// less what sharing it took already; who needs most comes first, and who needs the same shares alike. Sharing
// (contention): by the links that held messages up. Compute beyond what a rank of median speed takes is a straggler's.
#pragma once

#include "analysis/result/link_groups.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <string>
#include <vector>

namespace gradflight {

enum class Bounding { compute, latency, nic, uplink, intra_node, reducer, server, straggler, codec, host };
inline constexpr int bounding_count = 10;
const char* bounding_name(Bounding what); ///< "compute", ..., as in results
const char* bounding_noun(Bounding what); ///< "the NICs", ..., in sentences

struct Bound {
  Bounding what = Bounding::compute;
  double share = 0; ///< of iteration_time, in (0, 1]
};

/// Largest first; shares sum to 1. Empty where the iteration took no time.
std::vector<Bound> bound_by(const Scenario& scenario, const RunResult& result, const std::vector<DearLinks>& dearest);

/// "The NICs bound the step: 94.0 % of 148.89 ms; then reduction 5.9 %, latency 0.1 %."
std::string verdict_text(const std::vector<Bound>& bounds, double iteration_time);

/// What the link of that name belongs to: a NIC's cable, a server's, links within nodes, between switches, a NIC's
/// codec.
Bounding link_part(const std::string& name, const Scenario& scenario);

/// Of one rank at median speed: forward and backward passes and update of a step (seconds).
double nominal_compute(const Scenario& scenario);

} // namespace gradflight
