// One step as all ranks of a job recorded it: the slowest of each stage, and how long collectives waited for slower
// ranks.
#pragma once

#include "workloads/code/trace_times.hpp"
#include "workloads/code/workload.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gradflight {

/// A collective over all ranks that recorded it. Clocks of ranks differ, durations do not: the rank that comes last
/// does not wait, so the shortest kernel is what the exchange took, and what others took longer is their wait.
struct CollectiveWait {
  std::string operation;
  double mean = 0;   ///< seconds of its kernel, over ranks
  double waited = 0; ///< of them beyond the shortest
};

/// In the order they were issued. Collectives whose operation differs between ranks, or that have no kernel, are left
/// out.
std::vector<CollectiveWait> collective_waits(const std::vector<const StepTimes*>& ranks);

/// A trace's own word on its rank.
struct RecordedRank {
  std::string name;              ///< of the trace, for messages
  int rank = -1, world_size = 0; ///< -1 and 0: not said
};

/// Why these cannot be traces of one job: the index of a trace, and a sentence.
std::vector<std::pair<std::size_t, std::string>> contradictions(const std::vector<RecordedRank>& ranks);

/// The first workload with each layer's longest forward and backward time, and the longest update. Throws TraceError
/// where layers or their tensors differ; `names`: of the traces, for the message.
Workload slowest_workload(const std::vector<Workload>& ranks, const std::vector<std::string>& names);

} // namespace gradflight
