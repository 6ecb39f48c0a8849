// The measured boards as text and as a page for people, and as JSON for scripts.
#pragma once

#include "analysis/evidence/boards/boards.hpp"
#include "analysis/evidence/boards/crossovers.hpp"
#include "analysis/evidence/boards/leave_one_out.hpp"
#include "analysis/run/pages/plot.hpp"

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace gradflight {

/// Returns a table of statistics for each board, first with each machine left out, and a table of signed errors. Then
/// follows a line for each pack and for each table.
std::string boards_text(const MeasuredBoards& measured);

/// Returns { "boards": [...], "signed_errors": {...}, "packs": [...], "cases": [...], "crossovers": [...] }:
/// docs/measured.md.
nlohmann::ordered_json boards_json(const MeasuredBoards& measured);

/// Returns a self-contained page (page.hpp): statistics, and measured and simulated values over size for each machine
/// and operation.
std::string boards_page(const MeasuredBoards& measured, const std::string& command = {});

// Sentences and cells of both text and page:

/// Returns sentences about pack `index`: source, machine, settings, fitted values, entries with a reason, and typical
/// values that replace its fit when it is left out.
std::vector<std::string> pack_sentences(const MeasuredBoards& measured, std::size_t index);
/// Returns "all_reduce, 2 x 8 ranks".
std::string table_name(const BoardTable& table);
/// Returns "time falls by 74 % from 1 MiB to 2 MiB; ...".
std::string crossover_text(const Crossover& measured);
/// Returns "4 MiB" or "12 B", the usual units for sizes in such tables.
std::string binary_size(double bytes);

// Plots of the page:

/// Plots simulated over measured time of collectives against size. Points differ by pack or by table.
Plot ratio_plot(std::span<const BoardPack> packs, bool by_pack);
/// Plots measured and simulated bus bandwidth of one machine against size, for each operation and group of ranks.
std::vector<TitledPlot> bandwidth_plots(const BoardPack& pack);
/// Plots throughput per GPU relative to the smallest scale, measured and simulated, against GPUs, for each job.
std::vector<TitledPlot> training_plots(const BoardPack& pack);
/// Plots the time of concurrent jobs against their number, for each number of nodes.
std::vector<TitledPlot> contention_plots(const BoardPack& pack);

} // namespace gradflight
