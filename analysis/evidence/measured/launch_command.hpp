// The command lines in a log that started its benchmarks: the OSU benchmarks do not list their ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gradflight::measured {

struct LaunchedRun {
  int ranks = 0, nodes = 0; ///< 0: not said
  std::string text;         ///< where the ranks come from: "mpirun -np 16"
};

/// What one command line says; nothing where it starts no benchmark of OSU, gives no number of ranks, or several.
std::optional<LaunchedRun> launched_run(std::string_view command);

/// Finds command lines among the lines of a log, also those that go on after a backslash.
class LaunchCommands {
public:
  /// A line as it stands in the log.
  void line(std::string_view line);
  /// The command since the last call: of the table that begins now, and of no later one.
  std::optional<LaunchedRun> take();

private:
  std::string joined_; ///< of a command that goes on
  std::optional<LaunchedRun> last_;
};

} // namespace gradflight::measured
