// Logs of nccl-tests, rccl-tests and of the OSU micro-benchmarks, and tables of them as CSV or JSON. What a file is, it
// tells itself (docs/measured.md).
//
// nccl-tests and rccl-tests (public sources, releases up to 2.19): options, ranks and columns in lines of "#"; rows of
// size, count, type, maybe redop and root, then time, algbw, busbw and errors out of place and in place; their JSON
// (-J; -Z json) and CSV (-Z csv). OSU (5 to 7): "# OSU ... Test vX", "# Size ...", rows. A file may hold several runs
// and whatever launchers and other programs write between them: rows that are whole are read, everything else is left
// out and told. CSV: a header with size_bytes and a time or a value; rows of a table have the same entries in all
// columns that are not measured. Columns count from 1.
#pragma once

#include "analysis/evidence/measured/measured_table.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// What the user says that a log may leave open. The log's own word stands.
struct AboutLog {
  std::optional<Operation> op{};        ///< another one in the log is an error
  int ranks = 0, nodes = 0;             ///< 0: not said; another number in the log is an error
  std::optional<Operation> otherwise{}; ///< the operation of tables that neither say it nor contradict it
};

/// Tables in the order of the file, at least one. `notes`: what was left out, one for each kind. Throws InputErrors
/// where nothing is left, or where the log contradicts itself or the user.
std::vector<MeasuredTable> parse_measured(const std::string& text, const std::string& path, const AboutLog& about = {},
                                          std::vector<Diagnostic>* notes = nullptr);
/// Likewise; of a log no more than a piece is in memory at a time.
std::vector<MeasuredTable> read_measured(const std::string& path, const AboutLog& about = {},
                                         std::vector<Diagnostic>* notes = nullptr);

} // namespace gradflight
