// The measured boards for people, and for scripts.
#pragma once

#include "analysis/evidence/boards/boards.hpp"
#include "analysis/evidence/boards/crossovers.hpp"
#include "analysis/evidence/boards/leave_one_out.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gradflight {

/// A table of statistics for each board, first with each machine left out, and one of signed errors; then a line for
/// each pack and for each table.
std::string boards_text(const MeasuredBoards& measured);

/// { "boards": [...], "signed_errors": {...}, "packs": [...], "cases": [...], "crossovers": [...] }: docs/measured.md.
nlohmann::ordered_json boards_json(const MeasuredBoards& measured);

/// "30 rows scored, 12 fitted to, 5 noted".
std::string row_counts_text(const BoardPack& pack);
/// What is known of a pack in sentences: source, machine, settings, what was fitted, entries with a reason.
std::vector<std::string> pack_sentences(const BoardPack& board);
/// Of a pack that is left out: the typical values, and the machines that they come from.
std::string left_out_sentence(const BoardPack& left_out);
/// "all_reduce, 2 x 8 ranks".
std::string table_name(const BoardTable& table);
/// "time falls by 74 % from 1 MiB to 2 MiB; ...".
std::string crossover_text(const Crossover& measured);
/// "4 MiB", "12 B": as sizes of such tables are chosen.
std::string binary_size(double bytes);

} // namespace gradflight
