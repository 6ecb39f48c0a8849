// One step as all ranks of a job recorded it: the slowest rank of each stage, and how long collectives waited for
// slower ranks.
#pragma once

#include "workloads/code/trace_times.hpp"
#include "workloads/code/workload.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gradflight {

/// A collective over all ranks that recorded it. Clocks of ranks differ, but durations do not. The rank that arrives
/// last does not wait, so the shortest kernel is the time of the exchange. Any longer time on other ranks is their
/// wait.
struct CollectiveWait {
  std::string operation;
  double mean = 0;   ///< seconds of its kernel, averaged over ranks
  double waited = 0; ///< the part of `mean` beyond the shortest kernel
};

/// Returns waits in the order of issue. Leaves out collectives with different operations between ranks, or without a
/// kernel.
std::vector<CollectiveWait> collective_waits(const std::vector<const StepTimes*>& ranks);

/// The rank data that a trace itself contains.
struct RecordedRank {
  std::string name;              ///< of the trace, for messages
  int rank = -1, world_size = 0; ///< -1 and 0: not recorded
};

/// Returns reasons why these cannot be traces of one job: the index of a trace, and a sentence.
std::vector<std::pair<std::size_t, std::string>> contradictions(const std::vector<RecordedRank>& ranks);

/// Returns the first workload with the longest forward and backward time of each layer, and the longest update. Throws
/// TraceError if layers or their tensors differ. `names` are the names of the traces, for the message.
Workload slowest_workload(const std::vector<Workload>& ranks, const std::vector<std::string>& names);

} // namespace gradflight
