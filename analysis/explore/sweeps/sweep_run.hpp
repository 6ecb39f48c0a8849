// Runs the points that a sweep's directory lacks, and records them there.
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

/// Returns the mistakes in a point's scenario; none: it can be simulated.
std::vector<Diagnostic> errors_of_point(const Sweep& sweep, std::int64_t combination);

/// One valid point is sufficient. Without one, says so, and returns the different errors of the points, at most ten.
std::vector<Diagnostic> errors_of_all(const Sweep& sweep, const std::vector<std::int64_t>& combinations);

/// Assigns the directory to one sweep, named by its sweep.json. Several shards may do this at once; all would write the
/// same. Throws OutputError if it contains another sweep, or is not writable.
void claim(const std::filesystem::path& directory, const Sweep& sweep);

/// Returns the sweep file's limits, replaced by `wall` and `memory` if they are not empty: quantities. Throws
/// std::invalid_argument.
WorkLimits limits_of(const Sweep& sweep, const std::string& wall, const std::string& memory);

struct SweepRunOptions {
  std::filesystem::path directory; ///< already claimed
  int jobs = 1;
  WorkLimits limits;  ///< per point
  bool retry = false; ///< run killed points again
};

struct SweepTally {
  std::map<PointStatus, std::int64_t> with; ///< number of points that ended with each status, now or before
  struct Reason {
    std::int64_t point; ///< its number
    std::string message;
  };
  std::map<PointStatus, Reason> first;  ///< of each status, the first point and why it is not ok
  std::int64_t done = 0;                ///< number of combinations
  std::int64_t repeated = 0;            ///< of these: the same scenario as another
  std::int64_t resumed = 0;             ///< of these: found before
  std::int64_t damaged = 0;             ///< incomplete records of earlier runs
  std::optional<std::string> trouble{}; ///< why it ended early, for example a full disk
  [[nodiscard]] std::int64_t not_ok() const;
};

/// Calls `progress` like BatchProgress (runner.hpp). Points without limits run in threads, others each in its own
/// process (runs/runner.hpp).
SweepTally run_sweep(const Sweep& sweep, const std::vector<std::int64_t>& combinations, const SweepRunOptions& options,
                     const std::function<void(const SweepTally&)>& progress);

} // namespace gradflight
