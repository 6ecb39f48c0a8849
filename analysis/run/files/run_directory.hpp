// The record of a run: enough to read its result without this program, and to repeat the run.
//
//  scenario.json   the resolved scenario in canonical form, every default explicit
//  result.json     the result object (result_json.hpp)
//  links.csv       name, bandwidth_bytes_per_s, bytes, busy_s, utilisation
//  command.txt     the command line, quoted for a shell
//  meta.json       wall and CPU time, memory, versions, date: everything that differs between runs
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
  std::vector<std::pair<std::string, std::string>> versions; ///< program -> version
};

class RunDirectory {
public:
  /// Creates the directory and its parents. An existing directory must be empty, or contain a run of the same scenario,
  /// which may be incomplete; then the record is renewed. Otherwise nothing changes, and OutputError gives the reason.
  /// Until this object is destroyed, no other process may record a run in the directory.
  RunDirectory(std::filesystem::path directory, std::string canonical_scenario);
  ~RunDirectory(); ///< removes a directory that it created but never wrote to
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  /// Whether write() writes `file`, under any path.
  [[nodiscard]] bool writes(const std::filesystem::path& file) const;

  /// Replaces all files or none. Throws OutputError or ResultLost.
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

} // namespace gradflight
