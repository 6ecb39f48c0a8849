// Slurm does the scheduling: a job array of shards, and a merge that waits for all of them.
#pragma once

#include <filesystem>
#include <string>

namespace gradflight {

/// Part `index` of `count`: the points whose place in the sweep is index modulo count.
struct Shard {
  int index = 0, count = 1;
};

/// "I/N", or Slurm's environment where `text` is empty, else all; throws std::invalid_argument with what is wrong.
Shard shard_of(const std::string& text);

/// What each task of the array gets as options of `sweep`.
struct SlurmArray {
  int tasks = 1;
  std::filesystem::path program, sweep, out;
  int jobs = 1;             ///< at a time, in each task
  std::string wall, memory; ///< quantities; empty: as the sweep file says
  bool retry = false;
};
/// The script that submits the sweep as a job array, and a merge after it.
std::string slurm_script(const SlurmArray& array);

} // namespace gradflight
