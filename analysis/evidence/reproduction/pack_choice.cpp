#include "analysis/evidence/reproduction/pack_choice.hpp"

#include "analysis/evidence/reproduction/form_values.hpp"
#include "base/letters.hpp"
#include "base/nearest_name.hpp"
#include "base/paths.hpp"
#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_files(const fs::path& where, std::string message) {
  throw InputErrors({{where.string(), 0, 0, "", std::move(message)}});
}

/// Whether a pack may exist at this path. This includes a broken symbolic link and an inaccessible file, so that
/// loading reports the mistake. A pack is never ignored silently.
bool has_pack(const fs::path& file) {
  std::error_code error;
  return fs::symlink_status(file, error).type() != fs::file_type::not_found;
}

/// Whether an entry is a broken link in place of a paper's directory. Editors also create such links, with names that
/// begin with a dot.
bool is_lost(const fs::path& entry) {
  std::error_code error;
  return fs::is_symlink(entry, error) && !fs::exists(entry, error) && !entry.filename().string().starts_with('.');
}

std::vector<fs::path> packs_in(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error))
    refuse_files(directory, error && error != std::errc::no_such_file_or_directory
                                ? error.message()
                                : "no such directory; name the one with the packs (PAPER/reproduce.json) with --packs");
  std::vector<fs::path> packs;
  std::vector<Diagnostic> errors;
  const auto add = [&](const fs::path& file) {
    if (has_pack(file)) packs.push_back(file);
  };
  add(directory / "reproduce.json");
  for (const fs::path& entry : entries_of(directory, error)) {
    if (is_lost(entry)) errors.push_back({entry.string(), 0, 0, "", "a broken symbolic link"});
    add(entry / "reproduce.json");
  }
  if (error) errors.push_back({directory.string(), 0, 0, "", error.message()});
  if (packs.empty() && errors.empty())
    refuse_files(directory, "the directory contains no pack; expected PAPER/reproduce.json");
  std::ranges::sort(errors, {}, &Diagnostic::file);
  if (!errors.empty()) throw InputErrors(std::move(errors));
  std::ranges::sort(packs);
  return packs;
}

/// Returns the names of a paper on the command line: its name, and the directory of its pack.
std::vector<std::string> names_of(const fs::path& pack) {
  std::vector<std::string> names{lower_case(absolute_path(pack).parent_path().filename().string())};
  std::vector<Problem> problems;
  const auto root = parse_json(read_file(pack.string()).text, 0, problems);
  if (const auto* paper = root ? root->find("paper") : nullptr) names.push_back(lower_case(paper->text));
  return names;
}

/// Rejects a second pack for the same paper, because its figures would count twice.
void refuse_second_packs(const std::vector<CheckedPack>& packs, std::vector<Diagnostic>& errors) {
  std::map<std::string, const Pack*> first;
  for (const auto& checked : packs) {
    const auto& pack = checked.pack;
    const auto& other = *first.emplace(pack.paper, &pack).first->second;
    if (&other == &pack) continue;
    errors.push_back(
        {pack.file, pack.position.line, pack.position.column, "/paper",
         fmt::format("{} already has a pack, {}: its figures would count twice", json_string(pack.paper), other.file)});
  }
}

PaperScore score_of(const CheckedPack& checked, const Simulations& simulations) {
  PaperScore paper{&checked.pack, {}, checked.fits, false};
  paper.stale = paper.fits && paper.fits->digest != digest_of(checked);
  std::vector<const WantedRun*> runs;
  for (const auto& experiment : checked.experiments) runs.push_back(&experiment);
  paper.figures = scores(checked.pack, all_figures(checked.pack), runs, simulations);
  for (auto& score : paper.figures) {
    std::vector<const Prepared*> read;
    for (const auto experiment : score.figure->experiments) read.push_back(&runs[experiment]->prepared);
    score.closed_form = form_of_figure(*score.figure, read, readings_of(*score.figure, runs, simulations));
  }
  return paper;
}

} // namespace

std::vector<fs::path> chosen_packs(const fs::path& directory, const std::vector<std::string>& papers) {
  auto packs = packs_in(directory);
  if (papers.empty()) return packs;
  std::vector<bool> wanted(packs.size());
  std::vector<Diagnostic> unknown;
  for (const auto& paper : papers) {
    std::vector<std::string> known;
    bool found = false;
    for (std::size_t i = 0; i < packs.size(); ++i) {
      const auto names = names_of(packs[i]);
      known.push_back(names.front());
      if (std::ranges::find(names, lower_case(paper)) == names.end()) continue;
      wanted[i] = found = true;
    }
    if (!found)
      unknown.push_back(
          {directory.string(), 0, 0, "",
           fmt::format("no pack is named {}{}", json_string(paper), did_you_mean(lower_case(paper), known))});
  }
  if (!unknown.empty()) throw InputErrors(std::move(unknown));
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < packs.size(); ++i)
    if (wanted[i]) files.push_back(packs[i]);
  return files;
}

std::vector<CheckedPack> load_packs(const std::vector<fs::path>& files) {
  std::vector<CheckedPack> packs;
  std::vector<Diagnostic> errors;
  for (const auto& file : files) {
    try {
      packs.push_back(check_pack(file.string()));
    } catch (const InputErrors& found) {
      errors.insert(errors.end(), found.diagnostics().begin(), found.diagnostics().end());
    }
  }
  refuse_second_packs(packs, errors);
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return packs;
}

Scoreboard score_all(const std::vector<CheckedPack>& packs, const Simulations& simulations) {
  Scoreboard scoreboard;
  std::vector<Diagnostic> errors;
  for (const auto& pack : packs) {
    try {
      scoreboard.push_back(score_of(pack, simulations));
    } catch (const InputErrors& found) {
      errors.insert(errors.end(), found.diagnostics().begin(), found.diagnostics().end());
    }
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return scoreboard;
}

} // namespace gradflight
