// Boards of measured against simulated times: how far off, of what, and how far what needs no simulator is
// (docs/measured.md).
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

#include <functional>

namespace gradflight {

/// Of absolute relative errors. Fractions.
struct ErrorStatistics {
  std::size_t count = 0;
  std::optional<double> median{}, p80{}, p90{}; ///< nothing: of no cases
  double within_20 = 0, within_30 = 0;          ///< shares that are at most so far off; 0 of no cases
};
ErrorStatistics statistics_of(const std::vector<double>& absolute_errors);

/// A yardstick over the cases for which there is one, beside the simulation over the same.
struct YardstickScore {
  const char* name = "";
  ErrorStatistics errors, simulation;
  std::size_t closer = 0; ///< cases on which the simulation is
};

/// Cases together: all of a board, of a machine, of an operation.
struct BoardGroup {
  std::string name;
  bool counted = true; ///< false: fitted to, shown and not counted
  ErrorStatistics errors{};
  std::optional<double> noise{}; ///< median of the cases' own
  std::vector<YardstickScore> against{};
};

/// What a board takes of the cases that are simulated.
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
  std::vector<BoardGroup> machines;   ///< by pack, in their order; those not counted, too
  std::vector<BoardGroup> operations; ///< by what was measured
  std::vector<BoardGroup> fabrics;    ///< of collectives: by the network between nodes, and inside one node
  /// Of the medians of the machines that are counted: each has the same say, however many sizes were measured on it.
  std::optional<double> machine_median{};
};

const std::vector<BoardKind>& board_kinds();

/// Of the kinds that were measured; of nothing: empty ones of collectives.
std::vector<Board> boards_of(const std::vector<BoardPack>& packs);

/// What is said of one table, over its cases that the board takes.
BoardGroup group_of(const BoardTable& table, const BoardKind& kind);

} // namespace gradflight
