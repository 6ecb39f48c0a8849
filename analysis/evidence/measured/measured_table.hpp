// Measured times of one operation over sizes, independent of the benchmark.
#pragma once

#include "models/collectives/operation_spelling.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

enum class Benchmark : std::uint8_t {
  collective, ///< nccl-tests, OSU collectives: mean time of an operation
  latency,    ///< osu_latency, osu_multi_lat: half a round trip
  bandwidth   ///< osu_bw, osu_mbw_mr: a window of messages in transit; the time is between messages of a pair
};

struct MeasuredRow {
  double size_bytes = 0;
  double time_us = 0; ///< out of place if both were measured
  std::optional<double> inplace_time_us{};
  int line = 0;
};

struct MeasuredTable {
  std::string file; ///< as the caller gave it
  int line = 0;     ///< line of its first row, or of its beginning
  std::string run;  ///< the name of one invocation in the file; may be empty
  Operation op = Operation::all_reduce;
  Benchmark benchmark = Benchmark::collective;
  int ranks = 0, nodes = 0;    ///< 0: not in the file
  bool size_of_a_rank = false; ///< OSU: sizes of gathers and all-to-all are those of one block, not of the whole vector
  std::string algorithm, protocol;                           ///< forced by the user, in the file's words; may be empty
  std::string gpu;                                           ///< empty: not in the file
  std::vector<std::pair<std::string, std::string>> labels{}; ///< the further columns: name and value
  std::vector<MeasuredRow> rows{};                           ///< sorted by size, without repetition
  std::string type{};       ///< type of elements in the file's word: "float"; empty: not in the file
  std::string ranks_from{}; ///< the source of `ranks` if the file does not list them: "busbw / algbw = 1.75"

  int least_ranks = 0, most_ranks = 0; ///< range of ranks if bandwidths allow several numbers; 0: unknown

  [[nodiscard]] const std::string* label(const std::string& name) const {
    for (const auto& [key, value] : labels)
      if (key == name) return &value;
    return nullptr;
  }
  /// Returns the value in a column by which people select tables; nothing if the table has no such column.
  [[nodiscard]] std::optional<std::string> value(const std::string& column) const {
    const auto unless_empty = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
    if (column == "run") return run;
    if (column == "collective") return std::string(operation_name(op));
    if (column == "ranks") return std::to_string(ranks);
    if (column == "nodes") return std::to_string(nodes);
    if (column == "type") return type;
    if (column == "algorithm") return unless_empty(algorithm);
    if (column == "protocol") return unless_empty(protocol);
    if (const auto* text = label(column)) return *text;
    return std::nullopt;
  }
  /// Whether the table has this value in a column. Operations may have any of their names.
  [[nodiscard]] bool has(const std::string& column, const std::string& wanted) const {
    return column == "collective" ? operation_of(wanted) == op : value(column) == wanted;
  }
  /// Returns `run`. If the file names none, returns the values of NCCL_ALGO and NCCL_PROTO: "Ring", "Ring/LL". May be
  /// empty.
  [[nodiscard]] std::string called() const {
    if (!run.empty() || (algorithm.empty() && protocol.empty())) return run;
    return algorithm + (algorithm.empty() || protocol.empty() ? "" : "/") + protocol;
  }
  /// Returns the bytes of the whole vector as nccl-tests counts it; needs `ranks` if sizes are those of one rank.
  [[nodiscard]] double vector_bytes(const MeasuredRow& row) const {
    return size_of_a_rank ? row.size_bytes * ranks : row.size_bytes;
  }
};

} // namespace gradflight
