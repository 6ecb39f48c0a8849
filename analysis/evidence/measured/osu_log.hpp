// Reads tables of the OSU micro-benchmarks from the lines of a log.
#pragma once

#include "analysis/evidence/measured/launch_command.hpp"
#include "analysis/evidence/measured/log_reader.hpp"

namespace gradflight::measured {

class OsuTables {
public:
  /// `commands` must have processed the lines before each line passed here.
  OsuTables(TableCollector& tables, LaunchCommands& commands) : tables_(tables), commands_(commands) {}

  /// Processes a line as the benchmark wrote it; returns whether it belongs to the benchmark.
  bool line(std::string_view line, int number);
  /// Call it before end() if the last line has no end. Leaves out its row if the last value seems to be cut off.
  void leave_out_cut_row(int number);
  void end(int number);
  [[nodiscard]] bool open() const { return time_ >= 0; }
  [[nodiscard]] bool recognised() const { return recognised_; }

private:
  bool comment(std::string_view line, int number);
  void begin(std::string_view line, int number);
  void header(std::string_view line, int number);
  void row(std::string_view line, int number);
  void end_table(int number);
  void end_cycle();

  TableCollector& tables_;
  LaunchCommands& commands_;
  RawTable current_;
  std::vector<Word> words_;
  std::vector<std::string> titles_;
  LastDecimals last_decimals_;
  int time_ = -1, min_ = -1, max_ = -1, valid_ = -1, pairs_ = 1, rows_seen_ = 0;
  double megabytes_ = 1, microseconds_ = 1; ///< of the units of rates and of latencies
  bool open_ = false, recognised_ = false, unknown_ = false;
};

} // namespace gradflight::measured
