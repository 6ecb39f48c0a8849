// What a sweep's directory does not hold yet, run and recorded there.
#pragma once

#include "analysis/explore/sweeps/sweep_records.hpp"
#include "analysis/run/forked_work.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// One valid point is enough. Where there is none, the errors of the first ones, at most a few.
std::vector<Diagnostic> errors_of_all(const Sweep& sweep, const std::vector<std::int64_t>& combinations);

/// The directory belongs to one sweep: sweep.json in it says which. Several shards may come here at once: all would
/// write the same. Throws OutputError where it holds another sweep, or cannot be written.
void claim(const std::filesystem::path& directory, const Sweep& sweep);

/// The sweep file's, or in their place `wall` and `memory` where they are not empty: quantities. Throws
/// std::invalid_argument.
WorkLimits limits_of(const Sweep& sweep, const std::string& wall, const std::string& memory);

struct SweepRunOptions {
  std::filesystem::path directory; ///< claimed
  int jobs = 1;
  WorkLimits limits;  ///< of a point
  bool retry = false; ///< run again what was killed
};

struct SweepTally {
  std::map<PointStatus, std::int64_t> with; ///< points that ended with it, now or before
  std::int64_t done = 0;                    ///< combinations
  std::int64_t repeated = 0;                ///< of them: the same scenario as another
  std::int64_t resumed = 0;                 ///< of them: found before
  std::int64_t damaged = 0;                 ///< records of earlier runs that were cut short
  std::optional<std::string> trouble{};     ///< why it ended early: the disk is full, say
  [[nodiscard]] std::int64_t not_ok() const;
};

/// `progress` is called as BatchProgress is (runner.hpp). Points without limits go on in threads, others in a process
/// each (runs/runner.hpp).
SweepTally run_sweep(const Sweep& sweep, const std::vector<std::int64_t>& combinations, const SweepRunOptions& options,
                     const std::function<void(const SweepTally&)>& progress);

} // namespace gradflight
