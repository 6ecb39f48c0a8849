// What was measured, case by case, with what is simulated beside it (docs/measured.md).
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

/// What a case is of: each kind has boards and yardsticks of its own.
enum class CaseKind : std::uint8_t {
  collective, ///< the time of an operation on a vector of some size, in microseconds
  training,   ///< a ratio of throughputs between two scales
  sharded,    ///< of sharded training: the share of the smaller scale's efficiency that is lost
  contention  ///< the time of a step beside other jobs on the same nodes, in seconds
};

/// What needs no simulator, by its place in BoardCase::yardsticks.
enum class Yardstick : std::uint8_t {
  line_ring,      ///< one ring over all ranks at line rates (line_ring.hpp)
  own_formula,    ///< NCCL's own, nothing fitted
  perfect_scaling ///< of training: as many times the throughput as GPUs
};
inline constexpr std::size_t yardstick_count = 3;
const char* yardstick_name(Yardstick yardstick);

/// One size of one table, in the unit of its kind.
struct BoardCase {
  double size_bytes = 0; ///< of the whole vector; 0 of training
  int ranks = 0;         ///< of training: at the larger scale
  int jobs = 1;          ///< at once on the same nodes
  double measured = 0;   ///< median of the `times` measurements out of place
  int times = 0;
  double least = 0, most = 0;    ///< of all measurements, in place ones too
  std::optional<double> noise{}; ///< median of |out of place / in place - 1|
  std::optional<double> simulated{};
  std::array<std::optional<double>, yardstick_count> yardsticks{};
  std::string algorithm{}, protocol{}; ///< what was chosen
  int channels = 0;

  /// "nccl:ring LL", "ring".
  [[nodiscard]] std::string chosen() const { return protocol.empty() ? algorithm : algorithm + ' ' + protocol; }
  [[nodiscard]] std::optional<double> error() const {
    return simulated ? std::optional(*simulated / measured - 1) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> error(Yardstick yardstick) const {
    const auto& time = yardsticks[static_cast<std::size_t>(yardstick)];
    return time ? std::optional(*time / measured - 1) : std::nullopt;
  }
};

/// One operation among the same ranks: all rows of an entry that differ in size or were measured several times.
struct BoardTable {
  CaseKind kind = CaseKind::collective;
  std::string what;      ///< was measured: the operation's name
  std::string job{};     ///< of training: the columns that tell it from others
  std::size_t entry = 0; ///< of the pack's `tables`, or `training`
  MeasuredRole role = MeasuredRole::scored;
  Operation op = Operation::all_reduce;
  int nodes = 0, ranks = 0, element_size = 4; ///< ranks: of training at its largest scale
  std::string algorithm, protocol;            ///< forced ones, in the log's words
  int rows = 0;                               ///< of the log
  int empty_rows = 0;                         ///< of sizes that leave nothing for a rank: not simulated
  std::optional<double> noise{}, noise_p90{};
  std::vector<BoardCase> cases{}; ///< sizes, or ranks, grow

  // Of training:
  int base_rows = 0, base_ranks = 0; ///< of the smallest scale, which compute is fitted to
  int base_jobs = 1;                 ///< likewise, at once
  double base_speed = 0;             ///< measured throughput there, in samples per second of all GPUs; 0: base_step
  double base_step = 0;              ///< s; where steps were measured, and of the simulation
  double compute = 0;                ///< s of a step with which the simulated base takes as long as the measured one
};

/// A pack with its rows.
struct BoardPack {
  MeasuredPack pack;
  std::vector<int> entry_rows{};    ///< rows that each entry stands for
  std::vector<int> training_rows{}; ///< of `training`
  std::vector<BoardTable> tables{}; ///< those that are simulated
  TypicalNetwork typical{};         ///< of a machine left out: what its `fitted` was replaced by (leave_one_out.hpp)

  /// Rows of the logs by role; those of sizes that leave nothing for a rank are noted ones.
  [[nodiscard]] int rows(MeasuredRole role) const;
  /// Some row is scored: else it is shown, not counted.
  [[nodiscard]] bool counted() const { return rows(MeasuredRole::scored) > 0; }
};

} // namespace gradflight
