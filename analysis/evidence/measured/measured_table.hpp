// Measured times of one operation over sizes, whatever benchmark wrote them.
#pragma once

#include "models/collectives/operation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

enum class Benchmark : std::uint8_t {
  collective, ///< nccl-tests, OSU collectives: mean time of an operation
  latency,    ///< osu_latency, osu_multi_lat: half a round trip
  bandwidth   ///< osu_bw, osu_mbw_mr: a window of messages under way; the time is between messages of a pair
};

struct MeasuredRow {
  double size_bytes = 0;
  double time_us = 0; ///< out of place where both were measured
  std::optional<double> inplace_time_us{};
  std::optional<double> min_us{}, max_us{}; ///< over ranks
  int line = 0;
};

struct MeasuredTable {
  std::string file; ///< as given
  int line = 0;     ///< of its first row, or of where it begins
  std::string run;  ///< one invocation, as the file calls it; may be empty
  Operation op = Operation::all_reduce;
  Benchmark benchmark = Benchmark::collective;
  int ranks = 0, nodes = 0;        ///< 0: the file does not say
  bool size_of_a_rank = false;     ///< OSU: sizes of gathers and all-to-all are one block, not the whole vector
  std::string algorithm, protocol; ///< where the file says what was forced, in its own words
  std::string gpu;                 ///< where the file says
  std::vector<std::pair<std::string, std::string>> labels{}; ///< the further columns, name and value
  std::vector<MeasuredRow> rows{};                           ///< sizes grow, each once
  std::string type{};       ///< of elements, in the file's word: "float"; empty: it does not say
  std::string ranks_from{}; ///< how `ranks` was found where the file does not list them: "busbw / algbw = 1.75"

  int least_ranks = 0, most_ranks = 0; ///< where bandwidths leave several numbers of ranks; 0: they tell nothing

  [[nodiscard]] const std::string* label(const std::string& name) const {
    for (const auto& [key, value] : labels)
      if (key == name) return &value;
    return nullptr;
  }
  /// `run`; where the file names none, what NCCL_ALGO and NCCL_PROTO forced: "Ring", "Ring/LL". May be empty.
  [[nodiscard]] std::string called() const {
    if (!run.empty() || (algorithm.empty() && protocol.empty())) return run;
    return algorithm + (algorithm.empty() || protocol.empty() ? "" : "/") + protocol;
  }
  /// Bytes of the whole vector as nccl-tests counts it; needs `ranks` where sizes are of a rank.
  [[nodiscard]] double vector_bytes(const MeasuredRow& row) const {
    return size_of_a_rank ? row.size_bytes * ranks : row.size_bytes;
  }
};

} // namespace gradflight
