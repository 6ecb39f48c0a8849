// Reads tables of nccl-tests, rccl-tests and OSU line by line; ignores the lines between them.
#pragma once

#include "analysis/evidence/measured/launch_command.hpp"
#include "analysis/evidence/measured/log_lines.hpp"
#include "analysis/evidence/measured/log_reader.hpp"

#include <memory>

namespace gradflight::measured {

class NcclTestsTables;
class OsuTables;

class LogTables {
public:
  explicit LogTables(TableCollector& tables);
  ~LogTables();
  LogTables(const LogTables&) = delete;
  LogTables& operator=(const LogTables&) = delete;
  LogTables(LogTables&&) = delete;
  LogTables& operator=(LogTables&&) = delete;

  /// Processes the next line, without its line end.
  void line(std::string_view line);
  /// Call it after the last line. `unfinished`: that line has no end. Returns the number of lines.
  int end(bool unfinished);
  /// Whether any line belonged to a benchmark.
  [[nodiscard]] bool recognised() const;

private:
  LogLines lines_;
  LaunchCommands commands_;
  std::unique_ptr<NcclTestsTables> nccl_;
  std::unique_ptr<OsuTables> osu_;
  int number_ = 0;
  bool was_open_ = false;
};

} // namespace gradflight::measured
