// Several jobs on one platform: the GPUs of each job. Pure functions.
#pragma once

#include <vector>

#include <string>

#include <cstddef>

namespace gradflight {

struct JobSpec;
struct PlatformSpec;
struct Scenario;

/// The reason why a job cannot have its GPUs.
struct JobMistake {
  std::size_t job = 0; ///< index in Scenario::jobs
  std::string key;     ///< key of the job in JSON: "ranks/2", "count", "placement"
  std::string message;
};

struct PlacedJobs {
  std::vector<std::vector<int>> gpus; ///< for each job: the platform's GPU of each rank
  std::vector<JobMistake> mistakes;   ///< all mistakes; if there are any, GPUs are missing
};

/// Jobs with a list of GPUs get those first. The others follow in their order; each takes GPUs that are then free:
///
///  packed       a node's free GPUs, then the next node's
///  round_robin  the first free GPU of every node, then the second of every node, ...
///  by_rack      as packed, in as few racks as possible: first the fullest one with enough GPUs for all,
///               else racks with most free GPUs first, in their order if equal
///  random       drawn with the job's seed, all choices equally likely; the same on every machine
PlacedJobs place_jobs(const Scenario& scenario);

/// The same for one job with `count` ranks. `free` contains at least `count` GPUs in the order of their numbers.
std::vector<int> take_gpus(const PlatformSpec& platform, std::vector<int> free, const JobSpec& job);

/// Returns the number of nodes under one switch: a rack, a leaf switch of a fat tree, a router of a dragonfly; 0 if
/// none.
int nodes_per_rack(const PlatformSpec& platform);

} // namespace gradflight
