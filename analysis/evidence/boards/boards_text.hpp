// The measured boards as text for people, and as JSON for scripts.
#pragma once

#include "analysis/evidence/boards/boards.hpp"
#include "analysis/evidence/boards/crossovers.hpp"
#include "analysis/evidence/boards/leave_one_out.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// Returns a table of statistics for each board, first with each machine left out, and a table of signed errors. Then
/// follows a line for each pack and for each table.
std::string boards_text(const MeasuredBoards& measured);

/// Returns { "boards": [...], "signed_errors": {...}, "packs": [...], "cases": [...], "crossovers": [...] }:
/// docs/measured.md.
nlohmann::ordered_json boards_json(const MeasuredBoards& measured);

/// Returns "30 rows scored, 12 used by the fit, 5 noted".
std::string row_counts_text(const BoardPack& pack);
/// Returns sentences about a pack: source, machine, settings, fitted values, and entries with a reason.
std::vector<std::string> pack_sentences(const BoardPack& board);
/// Returns the typical values for a pack that is left out, and the machines of their origin.
std::string left_out_sentence(const BoardPack& left_out);
/// Returns "all_reduce, 2 x 8 ranks".
std::string table_name(const BoardTable& table);
/// Returns "time falls by 74 % from 1 MiB to 2 MiB; ...".
std::string crossover_text(const Crossover& measured);
/// Returns "4 MiB" or "12 B", the usual units for sizes in such tables.
std::string binary_size(double bytes);

} // namespace gradflight
