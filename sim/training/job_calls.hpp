// The calls that make up a job's exchanges, of a library or of a row of the catalogue of collectives: one for each
// bucket, or one for each of its legs.
//
// For each communication stream a rank has a stream that launches its calls one after another, one stream for each lane
// of the calls' schedules, and one on which calls end. Streams of a plan: 0 computes; then those where calls end, which
// correspond to exchanges elsewhere; then those that launch; then lanes, stream by stream.
#pragma once

#include "sim/libraries/library.hpp"
#include "sim/training/sharded_tasks.hpp"

#include <array>
#include <vector>

namespace gradflight {

class Platform;
struct Scenario;

struct JobCalls {
  /// For an exchange with a caller_of() and no call_problems().
  JobCalls(const Scenario& scenario, const Platform& platform, const TrainingSpec& training,
           const std::vector<Bucket>& buckets);

  /// A call that one or more buckets need.
  struct Call {
    Operation op = Operation::all_reduce;
    std::int64_t elements = 0; ///< blocks are padded to whole elements
    double bytes = 0;          ///< of the vector on the wire
    std::vector<int> buckets;
    LibraryCall library_call;
  };
  std::vector<Call> calls;                   ///< without duplicates, in the order of their buckets
  std::vector<std::array<int, 2>> of_bucket; ///< indices of the calls for gradients and for parameters
  int lanes = 1;                             ///< of the call with the most lanes
  std::vector<std::int32_t> switch_places{}; ///< of the switches that are members of some call
  bool by_rank = false;                      ///< members are ranks in their order, not node by node

  [[nodiscard]] const LibraryCall& call_of(int bucket, bool parameters) const {
    return calls[static_cast<std::size_t>(of_bucket[static_cast<std::size_t>(bucket)][parameters ? 1 : 0])]
        .library_call;
  }
  /// Whether some message goes by way of another rank's GPU (Step::by).
  [[nodiscard]] bool relayed() const;
  /// Whether some message uses another NIC than its GPU's only one. `nics_of_gpus`: for each GPU of a node.
  [[nodiscard]] bool has_own_nics(const std::vector<std::vector<int>>& nics_of_gpus) const;

  // Numbers of a plan's streams; `stream`: of the training, from 0.
  [[nodiscard]] int plan_streams(int streams) const { return 1 + streams * (2 + lanes); }
  static int over_stream(int stream) { return 1 + stream; }
  static int launch_stream(int streams, int stream) { return 1 + streams + stream; }
  [[nodiscard]] int lane_stream(int streams, int stream, int lane) const {
    return 1 + 2 * streams + stream * lanes + lane;
  }
};

/// Returns the different calls of a library that a training makes, the largest first. Empty if no library chooses, or
/// in a queue, where each size of job has its own calls.
std::vector<JobCalls::Call> largest_calls(const Scenario& scenario, const TrainingSpec& training,
                                          const Platform& platform);

/// "nccl:ring LL128, 12 channels".
std::string choice_text(const LibraryCall& call);
/// "all_reduce of 400000 B, 1 bucket: nccl:ring LL128, 12 channels; ring LL128: 90.4 us against ...".
std::string call_text(const JobCalls::Call& call);

/// What is wrong with the calls, and where, counted from the scenario's root: a library's platform, prescribed choices,
/// an engine that cannot express its messages, a missing switch. Fast if no phase has a library; else it takes as long
/// as the library's searches. `platform`: the scenario's.
struct CallProblem {
  std::string pointer, text;
};
std::vector<CallProblem> call_problems(const Scenario& scenario, const Platform& platform);

} // namespace gradflight
