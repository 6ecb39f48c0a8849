// Boards that compare measured with simulated times: the errors of the simulation, and of predictions without a
// simulator (docs/measured.md).
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
#include "analysis/evidence/error_statistics.hpp"

#include <functional>

namespace gradflight {

/// The errors of a yardstick, and of the simulation, over the cases that have this yardstick.
struct YardstickScore {
  const char* name = "";
  ErrorStatistics errors, simulation;
  std::size_t closer = 0; ///< number of cases for which the simulation is closer
};

/// A group of cases: a whole board, a machine, or an operation.
struct BoardGroup {
  std::string name;
  bool counted = true; ///< false: the group was fitted to, so it is shown but not counted
  ErrorStatistics errors{};
  std::optional<double> noise{}; ///< median noise of the cases
  std::vector<YardstickScore> against{};
  [[nodiscard]] const char* note() const { return counted ? "" : "used by the fit, not counted"; }
};

/// Selects the simulated cases of a board.
struct BoardKind {
  const char *name, *text;
  std::vector<Yardstick> yardsticks;
  CaseKind kind;
  double least_bytes = 0;
  [[nodiscard]] bool takes(const BoardTable& table, const BoardCase& one) const {
    return table.kind == kind && one.size_bytes >= least_bytes;
  }
};
struct Board {
  BoardKind kind;
  BoardGroup all;
  std::vector<BoardGroup> machines;   ///< by pack, in order; includes those that are not counted
  std::vector<BoardGroup> operations; ///< by measured operation
  std::vector<BoardGroup> fabrics;    ///< for collectives: by the network between nodes, or inside one node
  /// Median over the medians of the counted machines: all machines have equal weight, independent of their number of
  /// sizes.
  std::optional<double> machine_median{};
};

const std::vector<BoardKind>& board_kinds();

/// Returns the boards of the measured kinds; without cases, returns empty boards of collectives.
std::vector<Board> boards_of(const std::vector<BoardPack>& packs);

/// Returns the statistics of one table over its cases in the board.
BoardGroup group_of(const BoardTable& table, const BoardKind& kind);

} // namespace gradflight
