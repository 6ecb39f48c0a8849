#include "models/nccl/rccl_tables.hpp"
#include "models/nccl/tuning.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight::nccl {

namespace {

/// Factor on the time of a Simple ring between nodes, from some size on.
double plateau(const Tuning& tuning, double bytes) {
  if (tuning.plateau < 18) {
    if (bytes < tuning.ranks / 16.0 * 64 * kib) return 1;
    return tuning.plateau == 17 && tuning.generation >= Generation::hopper ? 1.5 : 1.9;
  }
  if (std::floor(bytes / (tuning.channels * tuning.ranks)) < 64) return 1;
  return tuning.generation < Generation::ampere ? 1.9 : 1.4;
}

} // namespace

std::optional<double> time_us(const Tuning& tuning, Operation op, double bytes, Algorithm a, Protocol p) {
  const Cost& cost = tuning.cost(op, a, p);
  if (!(cost.bandwidth > 0)) return std::nullopt;
  double bandwidth = cost.bandwidth, latency = cost.latency_us;
  const int power = bytes < 64 ? -1 : std::ilogb(std::floor(bytes / 64));
  if (tuning.library == Library::rccl) {
    const auto place = static_cast<std::size_t>(std::clamp(power, 0, 26));
    const auto column = static_cast<std::size_t>(p);
    if (a == Algorithm::tree) bandwidth *= rccl_tables::tree_share[column][place];
    if (a == Algorithm::ring && tuning.nodes > 1) bandwidth *= rccl_tables::ring_share[column][place];
    return latency + bytes / (1000 * bandwidth);
  }
  const auto& share = tuning.tree_share[static_cast<std::size_t>(p)];
  if (op == Operation::all_reduce) {
    if (a == Algorithm::tree && power >= 0 && power < 23) bandwidth *= share[static_cast<std::size_t>(power)];
    if (a == Algorithm::nvls_tree && power >= 0 && power < 24 && tuning.generation >= Generation::blackwell &&
        tuning.x86)
      bandwidth *= share[static_cast<std::size_t>(power)];
    if (a == Algorithm::ring && p == Protocol::simple && tuning.nodes > 1) latency *= plateau(tuning, bytes);
  }
  return latency + bytes / (1000 * bandwidth);
}

} // namespace gradflight::nccl
