// Measured cases, each with its simulation (docs/measured.md).
#pragma once

#include "analysis/evidence/boards/typical_network.hpp"
#include "models/collectives/operation.hpp"
#include "scenarios/language/packs/measured_pack.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// The kind of a case: each kind has its own boards and yardsticks.
enum class CaseKind : std::uint8_t {
  collective, ///< the time of an operation on a vector of a given size, in microseconds
  training,   ///< a ratio of throughputs between two scales
  sharded,    ///< sharded training: the lost share of the smaller scale's efficiency
  contention  ///< the time of a step while other jobs run on the same nodes, in seconds
};

/// A prediction without a simulator; the index in BoardCase::yardsticks.
enum class Yardstick : std::uint8_t {
  line_ring,      ///< one ring over all ranks at line rates (line_ring.hpp)
  own_formula,    ///< NCCL's own formula, without fitted values
  perfect_scaling ///< training: the throughput is proportional to the number of GPUs
};
inline constexpr std::size_t yardstick_count = 3;
const char* yardstick_name(Yardstick yardstick);

/// One size of one table, in the unit of its kind.
struct BoardCase {
  double size_bytes = 0; ///< of the whole vector; 0 for training
  int ranks = 0;         ///< for training: at the larger scale
  int jobs = 1;          ///< number of concurrent jobs on the same nodes
  double measured = 0;   ///< median of the `times` measurements out of place
  int times = 0;
  double least = 0, most = 0;    ///< of all measurements, including those in place
  std::optional<double> noise{}; ///< median of |out of place / in place - 1|
  std::optional<double> simulated{};
  std::array<std::optional<double>, yardstick_count> yardsticks{};
  std::string algorithm{}, protocol{}; ///< the choice of the library
  int channels = 0;

  [[nodiscard]] const std::optional<double>& yardstick(Yardstick which) const {
    return yardsticks[static_cast<std::size_t>(which)];
  }
  /// Returns "nccl:ring LL" or "ring".
  [[nodiscard]] std::string chosen() const { return protocol.empty() ? algorithm : algorithm + ' ' + protocol; }
  [[nodiscard]] std::optional<double> error() const {
    return simulated ? std::optional(*simulated / measured - 1) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> error(Yardstick which) const {
    const auto& time = yardstick(which);
    return time ? std::optional(*time / measured - 1) : std::nullopt;
  }
};

/// One operation among the same ranks: all rows of an entry that differ only in size or repetition.
struct BoardTable {
  CaseKind kind = CaseKind::collective;
  std::string what;      ///< what was measured: the operation's name
  std::string job{};     ///< for training: the columns that distinguish the job
  std::size_t entry = 0; ///< index in the pack's `tables` or `training`
  MeasuredRole role = MeasuredRole::scored;
  Operation op = Operation::all_reduce;
  int nodes = 0, ranks = 0, element_size = 4; ///< ranks: for training, at its largest scale
  std::string algorithm, protocol;            ///< forced by the user, in the log's words
  int rows = 0;                               ///< number of rows in the log
  int empty_rows = 0;                         ///< rows with sizes that leave no data for a rank: not simulated
  std::optional<double> noise{}, noise_p90{};
  std::vector<BoardCase> cases{}; ///< sorted by size or ranks

  // Members for training:
  int base_rows = 0, base_ranks = 0; ///< of the smallest scale, which determines the fitted compute time
  int base_jobs = 1;                 ///< concurrent jobs at that scale
  double base_speed = 0; ///< measured throughput there, in samples per second on all GPUs; 0: base_step is given
  double base_step = 0;  ///< s; the measured step, or the simulated one
  double compute = 0;    ///< s per step; with this compute time the simulated base takes as long as the measured one

  [[nodiscard]] bool is_collective() const { return kind == CaseKind::collective; }
  [[nodiscard]] bool is_contention() const { return kind == CaseKind::contention; }
  /// Whether its cases compare two scales.
  [[nodiscard]] bool is_training() const { return !is_collective() && !is_contention(); }
};

/// A pack with its rows.
struct BoardPack {
  MeasuredPack pack;
  std::vector<int> entry_rows{};    ///< number of rows of each entry
  std::vector<int> training_rows{}; ///< the same for `training`
  std::vector<BoardTable> tables{}; ///< the simulated tables
  TypicalNetwork typical{};         ///< for a machine left out: the replacement of its `fitted` (leave_one_out.hpp)
  /// For jobs left out: the coefficient of variation of compute times (typical_spread.hpp); absent: workers are equal.
  std::optional<TypicalNumber> spread{};

  /// Returns the number of log rows with a role. Rows with sizes that leave no data for a rank count as noted.
  [[nodiscard]] int rows(MeasuredRole role) const;
  /// Whether a row is scored; otherwise the pack is shown, but not counted.
  [[nodiscard]] bool counted() const { return rows(MeasuredRole::scored) > 0; }
};

} // namespace gradflight
