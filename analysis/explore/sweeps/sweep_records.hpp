// The results of a sweep so far: a directory of append-only files, one for each process that works on it.
//
//   sweep.json                     the sweep, self-contained (scenarios/language/sweeps/sweep.hpp)
//   records.HOST.PID.TIME.jsonl    a line for each finished point: 16 hexadecimal digits (xxHash64 of the rest), a
//                                  blank, the record as JSON
//
// A record is one write(2) at the end of a file that only its own process writes. So a killed process loses only the
// points in flight. A line that was cut short, or has wrong digits, does not count: its point runs again. Files are
// flushed to the disk (fdatasync) every five seconds and at the end: a power failure costs at most these seconds.
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
  invalid, ///< not a scenario: wrong values, or a wrong shape of the platform
  failed,  ///< the simulation failed, and always will
  killed   ///< time or memory ran out, or it was killed: another run may succeed
};
const char* point_status_name(PointStatus status);

struct SweepRecord {
  std::string id;
  PointStatus status = PointStatus::ok;
  std::string message;            ///< why it is not ok
  std::vector<Cell> cells;        ///< quantity_columns, if ok
  double wall_s = 0;              ///< of this run; not part of the result
  std::int64_t max_rss_bytes = 0; ///< peak of its process, which may have run other points

  /// Whether a repetition has the same result, as it must.
  [[nodiscard]] bool agrees_with(const SweepRecord& other) const;
};

class RecordWriter {
public:
  /// The file is created with the first record.
  explicit RecordWriter(std::filesystem::path directory) : directory_(std::move(directory)) {}
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Throws OutputError, for example if the disk is full.
  void append(const SweepRecord& record);
  /// Afterwards all appended records are on the disk.
  void flush();

private:
  std::filesystem::path directory_, file_;
  int fd_ = -1;
  std::chrono::steady_clock::time_point flushed_{};
};

/// Two records of one point that contradict each other.
struct RecordConflict {
  std::string id;
  std::string first, second; ///< file, line and record of each
};

struct RecordSet {
  std::map<std::string, SweepRecord> by_id; ///< the best known: any status rather than killed
  std::vector<RecordConflict> conflicts;
  std::int64_t damaged_lines = 0;
};
/// Reads all record files of a directory. Throws OutputError if it cannot read one.
RecordSet read_records(const std::filesystem::path& directory);

/// Converts a record to its line, without newline, and back; nothing if the line is damaged.
std::string record_line(const SweepRecord& record);
std::optional<SweepRecord> parse_record_line(std::string_view line);

} // namespace gradflight
