// Reads logs of nccl-tests, rccl-tests and the OSU micro-benchmarks, and tables of them as CSV or JSON. The content
// identifies the format (docs/measured.md).
//
// nccl-tests and rccl-tests (public sources, releases up to 2.19) print options, ranks and columns in lines with "#".
// Rows contain size, count, type, possibly redop and root, then time, algbw, busbw and errors out of place and in
// place. Their JSON (-J; -Z json) and CSV (-Z csv) are also supported. OSU (5 to 7) prints "# OSU ... Test vX", "# Size
// ...", and rows. A file may contain several runs, and output of launchers and other programs between them. Complete
// rows are read; all other text is left out and noted. CSV needs a header with size_bytes and a time or a value; rows
// of a table have the same entries in all columns that are not measured. Columns count from 1.
#pragma once

#include "analysis/evidence/measured/measured_table.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Data from the user that a log may lack. The log's own data has priority.
struct AboutLog {
  std::optional<Operation> op{};        ///< a different one in the log is an error
  int ranks = 0, nodes = 0;             ///< 0: not given; a different number in the log is an error
  std::optional<Operation> otherwise{}; ///< the operation for tables that neither name one nor contradict this one
};

/// Returns the tables in the order of the file, at least one. `notes` receives one note for each kind of left-out text.
/// Throws InputErrors if nothing is left, or if the log contradicts itself or the user.
std::vector<MeasuredTable> parse_measured(const std::string& text, const std::string& path, const AboutLog& about = {},
                                          std::vector<Diagnostic>* notes = nullptr);
/// The same; keeps only one piece of a log in memory at a time.
std::vector<MeasuredTable> read_measured(const std::string& path, const AboutLog& about = {},
                                         std::vector<Diagnostic>* notes = nullptr);

} // namespace gradflight
