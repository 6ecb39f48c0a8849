// What a sweep has found so far: a directory of append-only files, one for each process that works on it.
//
//   sweep.json                     the sweep, self-contained (scenarios/language/sweeps/sweep.hpp)
//   records.HOST.PID.TIME.jsonl    a line for each finished point: 16 hexadecimal digits (xxHash64 of the rest), a
//   blank,
//                                  the record as JSON
//
// A record is one write(2) at the end of a file that only its own process writes, so a killed process loses the points
// in flight and nothing else. A line that was cut short, or whose digits do not fit, does not count: its point is run
// again. Files are flushed to the disk (fdatasync) every five seconds and at the end: a power failure costs at most the
// last five seconds.
#pragma once

#include "scenarios/language/sweeps/sweep_points.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gradflight {

enum class PointStatus {
  ok,
  invalid, ///< no scenario: its values, or the platform's shape
  failed,  ///< the simulation failed, as it always will
  killed   ///< time or memory ran out, or something killed it: another run may fare better
};
const char* point_status_name(PointStatus status);

struct SweepRecord {
  std::string id;
  PointStatus status = PointStatus::ok;
  std::string message;            ///< why it is not ok
  std::vector<Cell> cells;        ///< quantity_columns, where ok
  double wall_s = 0;              ///< of this run; not part of the result
  std::int64_t max_rss_bytes = 0; ///< peak of its process, in which other points may have run

  /// The same finding: what a repetition must reproduce.
  [[nodiscard]] bool agrees_with(const SweepRecord& other) const;
};

class RecordWriter {
public:
  /// The file is created with the first record.
  explicit RecordWriter(std::filesystem::path directory) : directory_(std::move(directory)) {}
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Throws OutputError: the disk is full, say.
  void append(const SweepRecord& record);
  /// What was appended is on the disk.
  void flush();

private:
  std::filesystem::path directory_, file_;
  int fd_ = -1;
  std::chrono::steady_clock::time_point flushed_{};
};

/// Two records of one point that cannot both be right.
struct RecordConflict {
  std::string id;
  std::string first, second; ///< file, line and record of each
};

struct RecordSet {
  std::map<std::string, SweepRecord> by_id; ///< the best known: anything rather than killed
  std::vector<RecordConflict> conflicts;
  std::int64_t damaged_lines = 0;
};
/// All record files of a directory. Throws OutputError where one cannot be read.
RecordSet read_records(const std::filesystem::path& directory);

/// The line of a record without its newline, and back; nothing if it is damaged.
std::string record_line(const SweepRecord& record);
std::optional<SweepRecord> parse_record_line(std::string_view line);

} // namespace gradflight
