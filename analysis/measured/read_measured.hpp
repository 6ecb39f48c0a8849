// Logs of nccl-tests and of the OSU micro-benchmarks, and tables of them as CSV. What a file is, it tells itself.
//
// nccl-tests (public source, releases up to 2.19): lines of "#" with options, ranks and columns; rows of size, count,
// type, maybe redop and root, then time, algbw, busbw and errors out of place and in place. A file may hold several
// runs. OSU (5 to 7): "# OSU ... Test vX", "# Size ...", rows. Other programs' lines between them are passed over:
// those that begin with neither "#" nor a digit. CSV: a header with size_bytes and a time or a value; rows of a table
// have the same entries in all columns that are not measured. Columns count from 1.
#pragma once

#include "analysis/measured/measured_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// What the user says that a log may leave open. The log's own word stands; another one is an error.
struct AboutLog {
  std::optional<Operation> op{};
  int ranks = 0, nodes = 0; ///< 0: not said
};

/// Tables in the order of the file, at least one. Throws InputErrors with every mistake.
std::vector<MeasuredTable> parse_measured(const std::string& text, const std::string& path, const AboutLog& about = {});
std::vector<MeasuredTable> read_measured(const std::string& path, const AboutLog& about = {});

} // namespace gradflight
