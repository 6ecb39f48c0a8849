// Uses Slurm for scheduling: a job array of shards, and a merge that waits for all of them.
#pragma once

#include <filesystem>
#include <string>

namespace gradflight {

/// Part `index` of `count`: the points with an index in the sweep that equals `index` modulo `count`.
struct Shard {
  int index = 0, count = 1;
};

/// "I/N"; if `text` is empty, Slurm's environment, else all points. Throws std::invalid_argument with the reason.
Shard shard_of(const std::string& text);

/// The options of `sweep` for each task of the array.
struct SlurmArray {
  int tasks = 1;
  std::filesystem::path program, sweep, out;
  int jobs = 1;             ///< at a time, in each task
  std::string wall, memory; ///< quantities; empty: from the sweep file
  bool retry = false;
};
/// The script that submits the sweep as a job array, and a merge after it.
std::string slurm_script(const SlurmArray& array);

} // namespace gradflight
