// The command lines in a log that started its benchmarks. They are needed because OSU benchmarks do not list their
// ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gradflight::measured {

struct LaunchedRun {
  int ranks = 0, nodes = 0; ///< 0: not given
  std::string text;         ///< the source of the ranks: "mpirun -np 16"
};

/// Returns the ranks of a command line. Returns nothing if it starts no OSU benchmark, or has no single number of
/// ranks.
std::optional<LaunchedRun> launched_run(std::string_view command);

/// Finds command lines in a log, including those continued after a backslash.
class LaunchCommands {
public:
  /// Processes a line of the log.
  void line(std::string_view line);
  /// Returns the command since the last call. It applies to the table that begins now, and not to later ones.
  std::optional<LaunchedRun> take();

private:
  std::string joined_; ///< the beginning of a continued command
  std::optional<LaunchedRun> last_;
};

} // namespace gradflight::measured
