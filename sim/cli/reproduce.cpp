// `reproduce`: every experiment of the packs once, every published figure with its error and its role.
#include "sim/cli/reproduce.hpp"
#include "analysis/human.hpp"
#include "analysis/json_text.hpp"
#include "analysis/output_file.hpp"
#include "analysis/page.hpp"
#include "analysis/scoreboard_page.hpp"
#include "analysis/scoreboard_text.hpp"
#include "scenarios/diagnostics.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/shape.hpp"
#include "sim/cli/children.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_codes.hpp"
#include "sim/cli/pack_runs.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_files(const fs::path& where, std::string message) {
  throw InputErrors({{where.string(), 0, 0, "", std::move(message)}});
}

std::vector<fs::path> packs_in(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error))
    refuse_files(directory, "no such directory; name the one with the packs (PAPER/reproduce.json) with --packs");
  std::vector<fs::path> packs;
  const auto add = [&](const fs::path& file) {
    if (fs::is_regular_file(file, error)) packs.push_back(file);
  };
  add(directory / "reproduce.json");
  for (const auto& entry : fs::directory_iterator(directory)) add(entry.path() / "reproduce.json");
  if (packs.empty()) refuse_files(directory, "no pack in this directory: expected PAPER/reproduce.json");
  std::ranges::sort(packs);
  return packs;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// What a paper may be called on the command line: its name, and its pack's directory.
std::vector<std::string> names_of(const fs::path& pack) {
  std::vector<std::string> names{lower(fs::absolute(pack).parent_path().filename().string())};
  std::vector<Problem> problems;
  const auto root = parse_json(read_file(pack.string()).text, 0, problems);
  if (const auto* paper = root ? root->find("paper") : nullptr) names.push_back(lower(paper->text));
  return names;
}

std::vector<fs::path> chosen(const ReproduceOptions& options) {
  const auto packs = packs_in(options.packs);
  if (options.papers.empty()) return packs;
  std::vector<bool> wanted(packs.size());
  for (const auto& paper : options.papers) {
    std::vector<std::string> known;
    bool found = false;
    for (std::size_t i = 0; i < packs.size(); ++i) {
      const auto names = names_of(packs[i]);
      known.push_back(names.front());
      if (std::ranges::find(names, lower(paper)) == names.end()) continue;
      wanted[i] = found = true;
    }
    if (!found)
      refuse_files(options.packs, fmt::format("no pack of \"{}\"{}", paper, did_you_mean(lower(paper), known)));
  }
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < packs.size(); ++i)
    if (wanted[i]) files.push_back(packs[i]);
  return files;
}

/// All packs or none: every error of every pack is told before anything is simulated.
std::vector<CheckedPack> load(const std::vector<fs::path>& files) {
  std::vector<CheckedPack> packs;
  std::vector<Diagnostic> errors;
  for (const auto& file : files) {
    try {
      packs.push_back(check_pack(file.string()));
    } catch (const InputErrors& found) {
      errors.insert(errors.end(), found.diagnostics().begin(), found.diagnostics().end());
    }
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return packs;
}

PaperScore score_of(const CheckedPack& checked, const Simulations& simulations) {
  PaperScore paper{&checked.pack, {}, load_fits(checked.pack), false};
  paper.stale = paper.fits && paper.fits->digest != digest_of(checked);
  for (const auto& figure : checked.pack.figures) {
    std::vector<double> readings;
    for (std::size_t k = 0; k < figure.experiments.size(); ++k)
      readings.push_back(simulations.value(checked.experiments[figure.experiments[k]].prepared.id,
                                           figure.value->readings()[k].quantity));
    paper.figures.push_back(score(figure, readings));
  }
  return paper;
}

void write(OutputFile& page, const Scoreboard& scoreboard) {
  page.write(scoreboard_page(scoreboard));
  page.commit();
  if (vega_directory().empty())
    print_message("gradflight reproduce: the page has no plots yet: run tools/fetch-vega once, then this again\n");
}

} // namespace

int reproduce(const ReproduceOptions& options) {
  const auto packs = load(chosen(options));
  require_replaceable(options.report, page_opening, "a page of gradflight");
  const auto page = options.report.empty() ? nullptr : std::make_unique<OutputFile>(options.report);
  Simulations simulations(options.jobs > 0 ? options.jobs : usable_cores());
  std::vector<const WantedRun*> wanted;
  for (const auto& pack : packs)
    for (const auto& experiment : pack.experiments) wanted.push_back(&experiment);
  try {
    simulations.run(wanted);
  } catch (const ExperimentsFailed& failed) {
    print_message(fmt::format("{}gradflight reproduce: no scoreboard without these experiments\n", failed.what()));
    return simulation_failed;
  }
  Scoreboard scoreboard;
  for (const auto& pack : packs) scoreboard.push_back(score_of(pack, simulations));
  print_result(options.json ? json_text(scoreboard_json(scoreboard)) : scoreboard_text(scoreboard));
  flush_result();
  if (page) write(*page, scoreboard);
  print_message(fmt::format("{} simulated\n", counted(static_cast<std::int64_t>(simulations.count()), "scenario")));
  return done;
}

} // namespace gradflight::cli
