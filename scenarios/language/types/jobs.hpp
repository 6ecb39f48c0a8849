// Several jobs on one platform: which GPUs each of them gets. Pure.
#pragma once

#include <vector>

#include <string>

#include <cstddef>

namespace gradflight {

struct JobSpec;
struct PlatformSpec;
struct Scenario;

/// Why a job cannot have its GPUs.
struct JobMistake {
  std::size_t job = 0; ///< its place in Scenario::jobs
  std::string key;     ///< of the job, as in JSON: "ranks/2", "count", "placement"
  std::string message;
};

struct PlacedJobs {
  std::vector<std::vector<int>> gpus; ///< of each job: the platform's GPU of each rank
  std::vector<JobMistake> mistakes;   ///< all of them; where there are any, GPUs are missing
};

/// Jobs that list their GPUs get them first, the others follow in their order, each among those that are then free:
///
///   packed       a node's free GPUs, then the next node's
///   round_robin  the first free GPU of every node, then the second of every node, ...
///   by_rack      as packed, in as few racks as possible: the fullest one that has room for all, else those with most
///                room first, in their order where they have equal room
///   random       drawn for the job's seed alone, each choice as likely as any other; the same on every machine
PlacedJobs place_jobs(const Scenario& scenario);

/// The same for one job with `count` ranks: of `free`, GPUs in order of their numbers, at least as many.
std::vector<int> take_gpus(const PlatformSpec& platform, std::vector<int> free, const JobSpec& job);

/// Nodes under one switch: a rack, a leaf switch of a fat tree, a router of a dragonfly; 0 where there is none.
int nodes_per_rack(const PlatformSpec& platform);

} // namespace gradflight
