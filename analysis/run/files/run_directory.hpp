// The record of a run: enough to read its result without this tool, and to run it again.
//
//   scenario.json   the resolved scenario in canonical form, every default explicit
//   result.json     the result object (result_json.hpp)
//   links.csv       name, bandwidth_bytes_per_s, bytes, busy_s, utilisation
//   command.txt     the command line, quoted for a shell
//   meta.json       wall and CPU time, memory, versions, date: all that differs from run to run
#pragma once

#include "analysis/run/result/outcome.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

struct RunMeta {
  double wall_s = 0, cpu_s = 0;
  std::int64_t max_rss_bytes = 0;
  std::string date;                                          ///< UTC, ISO 8601
  std::vector<std::pair<std::string, std::string>> versions; ///< what -> version
};

class RunDirectory {
public:
  /// Creates the directory (and its parents). An existing one must be empty, or hold a run of this very scenario, whose
  /// record is then renewed (also one that was killed on its way there); otherwise nothing is touched and OutputError
  /// says what is in the way. Until this object's end no other process may have a run in the directory.
  RunDirectory(std::filesystem::path directory, std::string canonical_scenario);
  ~RunDirectory(); ///< a directory made here and never written to is removed
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  /// Whether write() writes `file`, wherever it is named from.
  [[nodiscard]] bool writes(const std::filesystem::path& file) const;

  /// All files are replaced, or none. Throws OutputError or ResultLost.
  void write(const Outcome& outcome, const std::vector<std::string>& command, const RunMeta& meta) const;

private:
  struct Lock {
    int file = -1;
    ~Lock();
  };
  std::filesystem::path directory_;
  std::string scenario_;
  bool made_ = false;
  Lock lock_;
};

std::string links_csv(const RunResult& result);

/// One line that a POSIX shell reads back as the same words.
std::string shell_line(const std::vector<std::string>& words);

} // namespace gradflight
