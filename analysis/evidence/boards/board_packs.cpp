#include "analysis/evidence/boards/board_packs.hpp"

#include "analysis/evidence/boards/board_rows.hpp"
#include "analysis/evidence/boards/training_rows.hpp"
#include "base/nearest_name.hpp"
#include "base/paths.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <set>

namespace gradflight {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_boards(const fs::path& where, std::string message) {
  throw InputErrors({{where.string(), 0, 0, "", std::move(message)}});
}

void add_errors(const InputErrors& errors, std::vector<Diagnostic>& found) {
  for (const auto& error : errors.diagnostics())
    if (std::ranges::find(found, error) == found.end()) found.push_back(error);
}

/// Returns the requested files, so that mistakes in other files do not matter.
std::vector<fs::path> asked_for(const std::vector<fs::path>& files, const std::vector<std::string>& names,
                                const fs::path& directory, std::vector<Diagnostic>& found) {
  if (names.empty()) return files;
  std::vector<fs::path> asked;
  std::vector<std::string> known;
  for (const auto& file : files) known.push_back(file.stem().string());
  for (const auto& name : names) {
    const auto at = std::ranges::find(known, name);
    if (at == known.end()) {
      found.push_back({directory.string(), 0, 0, "",
                       fmt::format("no pack of measured tables is named \"{}\"{}", name, did_you_mean(name, known))});
    } else if (const auto& file = files[static_cast<std::size_t>(at - known.begin())];
               std::ranges::find(asked, file) == asked.end()) {
      asked.push_back(file);
    }
  }
  return asked;
}

/// Reads the rows of a pack. Its name must be the name of its file.
void read_rows(RowReader& rows, TrainingRows& training, BoardPack& board) {
  const MeasuredPack& pack = board.pack;
  const fs::path file = pack.file;
  if (pack.name.text != file.stem())
    throw InputErrors(
        pack.sources.diagnostics({{pack.name.position, "/name",
                                   fmt::format("\"{}\" is the name in {}, but a pack must have the name of its file",
                                               pack.name.text, file.filename().string())}}));
  std::vector<Diagnostic> found;
  for (const auto& read : {std::function([&] { rows.read(board); }), std::function([&] { training.read(board); })})
    try {
      read();
    } catch (const InputErrors& errors) {
      add_errors(errors, found);
    }
  if (!found.empty()) throw InputErrors(std::move(found));
}

} // namespace

std::vector<fs::path> measured_files(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error))
    refuse_boards(directory, "no such directory; name the one with the packs of measured tables with --packs");
  std::vector<fs::path> files;
  for (const fs::path& entry : entries_of(directory, error))
    if (entry.extension() == ".json") files.push_back(entry);
  if (error) refuse_boards(directory, error.message());
  if (files.empty()) refuse_boards(directory, "the directory contains no pack of measured tables; expected NAME.json");
  std::ranges::sort(files);
  return files;
}

const char* yardstick_name(Yardstick yardstick) {
  switch (yardstick) {
  case Yardstick::line_ring: return "one ring at line rates";
  case Yardstick::own_formula: return "NCCL's own formula";
  case Yardstick::perfect_scaling: return "perfect scaling";
  }
  return "";
}

int BoardPack::rows(MeasuredRole role) const {
  int count = 0;
  for (std::size_t i = 0; i < pack.tables.size(); ++i)
    if (pack.tables[i].role == role) count += entry_rows[i];
  for (std::size_t i = 0; i < pack.training.size(); ++i)
    if (pack.training[i].role == role) count += training_rows[i];
  for (const auto& table : tables) {
    count += role == MeasuredRole::noted ? table.empty_rows : table.role == role ? -table.empty_rows : 0;
    count += role == MeasuredRole::fitted ? table.base_rows : table.role == role ? -table.base_rows : 0;
  }
  return count;
}

BoardPack check_board(Document document, const std::string& path) {
  BoardPack board{decode_measured_pack(document, path), {}, {}, {}};
  RowReader rows;
  TrainingRows training;
  read_rows(rows, training, board);
  return board;
}

std::vector<BoardPack> load_boards(const fs::path& directory, const std::vector<std::string>& names) {
  std::vector<Diagnostic> found;
  std::vector<BoardPack> packs;
  RowReader rows;
  TrainingRows training;
  for (const auto& file : asked_for(measured_files(directory), names, directory, found)) {
    try {
      BoardPack board{load_measured_pack(file.string()), {}, {}, {}};
      read_rows(rows, training, board);
      packs.push_back(std::move(board));
    } catch (const InputErrors& errors) {
      add_errors(errors, found);
    }
  }
  if (!found.empty()) throw InputErrors(std::move(found));
  return packs;
}

} // namespace gradflight
