#include "analysis/evidence/reproduction/scoreboard_output.hpp"

#include "base/human.hpp"
#include "base/percentile.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::string unbroken(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == ' ' ? std::string("\u00A0") : std::string(1, c); // prevents a line break
  return out;
}

PageTable parameter_table(const Pack& pack) {
  PageTable table{{"parameter", "value", "bounds", "meaning", "place", "fitted to"}, {}};
  for (std::size_t i = 0; i < pack.parameters.size(); ++i) {
    const auto& p = pack.parameters[i];
    table.rows.push_back({p.name, value_text(p), fmt::format("{} .. {}", p.text(p.low), p.text(p.high)), p.why,
                          p.file + " " + joined(p.at), joined(fitted_to(pack, i))});
  }
  return table;
}

/// Returns "4.4 % (better than 73 of 100)": the median random set, and how many sets the pack's own errors beat.
std::string random_sets_text(const PaperScore& paper) {
  if (!paper.fits || !paper.fits->cross_validation) return "-";
  const auto& sets = *paper.fits->cross_validation;
  const auto own = comparable_errors(paper);
  const auto middle = fmt::format("{}, {}", unbroken(human_percent(percentile(sets.medians, 0.5))),
                                  unbroken(human_percent(percentile(sets.p90s, 0.5))));
  if (!own.median) return middle + (paper.stale ? " (outdated)" : "");
  return fmt::format("{} (better than {} and {} of {})", middle, better_than(*own.median, sets.medians),
                     better_than(*own.p90, sets.p90s), sets.medians.size());
}

std::string both(const ErrorStatistics& errors) {
  return errors.median ? unbroken(human_percent(*errors.median)) + ", " + unbroken(human_percent(*errors.p90)) : "-";
}

std::vector<PageCell> result_row(const std::string& name, const ScoreCounts& counts, const std::string& random_sets) {
  const auto& against = counts.against_form;
  const auto failed = counts.failed_errors.size();
  return {unbroken(name),
          std::to_string(counts.predicted),
          both(counts.errors()),
          failed == 0 ? "-" : fmt::format("{} with {}", both(counts.errors_with_failed()), failed),
          both(statistics_of(counts.non_input_errors)),
          against.form.empty() ? "-" : fmt::format("{} of {}", against.closer(), against.form.size()),
          random_sets};
}

std::vector<PageCell> count_row(const std::string& name, const ScoreCounts& counts) {
  return {unbroken(name),
          std::to_string(counts.predicted_in_text),
          fmt::format("{} to {}", counts.parameters, counted(static_cast<std::int64_t>(counts.fitted), "figure")),
          std::to_string(counts.choices),
          fmt::format("{} of {}", counts.statements_held, counts.statements),
          std::to_string(counts.dependent),
          std::to_string(counts.inputs),
          std::to_string(counts.excluded)};
}

/// Adds medians and 90th percentiles, and the numbers of figures and parameters.
void add_summary(Page& page, const Scoreboard& scoreboard) {
  PageTable results{{"paper", "predicted", "|error|", "with failed figures", "without input times",
                     "closer than the closed form", "random fit sets"},
                    {}};
  PageTable counts{{"paper", "predicted from the text", "fitted numbers", "structural choices", "statements that hold",
                    "dependent", "inputs", "excluded"},
                   {}};
  for (const auto& paper : scoreboard) {
    results.rows.push_back(result_row(paper.pack->paper, paper.counts(), random_sets_text(paper)));
    counts.rows.push_back(count_row(paper.pack->paper, paper.counts()));
  }
  if (scoreboard.size() > 1) {
    results.rows.push_back(result_row("all", counts_of(scoreboard), ""));
    counts.rows.push_back(count_row("all", counts_of(scoreboard)));
  }
  page.table(results);
  page.table(counts);
}

/// Returns the most important sentence: the errors of the predictions.
std::string score_sentence(const ScoreCounts& counts) {
  const auto errors = counts.errors();
  if (!errors.median) return "No figure is predicted here.";
  return fmt::format("{} predicted: median error {}, 90th percentile {}.",
                     counted(static_cast<std::int64_t>(counts.predicted), "figure"), human_percent(*errors.median),
                     human_percent(*errors.p90));
}

/// Returns the link target of a paper.
std::string id_of(const Pack& pack) {
  std::string id = "paper-";
  for (const char c : pack.paper)
    id += std::isalnum(static_cast<unsigned char>(c)) != 0
              ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
              : '-';
  return id;
}

std::vector<std::string> with_stop(std::vector<std::string> sentences) {
  for (auto& sentence : sentences) sentence += '.';
  return sentences;
}

/// Returns each missing mechanism with the figures that fail because of it.
std::vector<std::string> failures(const PaperScore& paper) {
  std::vector<std::pair<std::string, std::vector<std::string>>> missing;
  for (const auto& score : paper.figures) {
    if (score.role() != FigureRole::failed) continue;
    auto found = std::ranges::find(missing, score.reason(), [](const auto& one) { return one.first; });
    if (found == missing.end()) found = missing.insert(found, {score.reason(), {}});
    found->second.push_back(fmt::format("{} ({})", score.figure->published.id, error_text(score, "")));
  }
  std::vector<std::string> said;
  for (const auto& [mechanism, figures] : missing)
    said.push_back(fmt::format("failed: {}; the model lacks: {}", joined(figures), mechanism));
  return said;
}

void add_numbers(Page& page, const PaperScore& paper) {
  const auto& pack = *paper.pack;
  if (!pack.parameters.empty()) page.table(parameter_table(pack));
  auto said = choices_text(paper);
  std::ranges::move(fits_text(paper), std::back_inserter(said));
  if (!said.empty()) page.list(said);
}

void add_paper(Page& page, const PaperScore& paper) {
  const auto& pack = *paper.pack;
  page.heading(pack.paper, id_of(pack));
  if (!pack.description.empty()) page.paragraph(pack.description);
  page.list(with_stop(counts_text(paper.counts())));
  if (const auto failed = failures(paper); !failed.empty()) page.list(failed);
  add_plots(page, paper);
  add_numbers(page, paper);
  if (std::ranges::any_of(paper.figures, [](const auto& score) { return !score.sensitivities.empty(); }))
    page.legend(bar_legend(pack));
  page.table(figure_table(paper));
  page.folded_table("Figures that are not simulated, and why", other_table(paper));
}

} // namespace

std::string scoreboard_page(const Scoreboard& scoreboard, const std::string& command) {
  Page page("Published figures against simulated ones");
  page.lead(score_sentence(counts_of(scoreboard)));
  page.heading("All papers", "summary");
  if (scoreboard.size() > 1) page.list(with_stop(counts_text(counts_of(scoreboard))));
  page.paragraph(
      "Errors are relative to what the paper prints. A figure that a fit uses, or that is an input, is never counted "
      "as predicted. If several figures print the same measurement, one counts. A figure that follows from inputs or "
      "from one fitted number does not count. Bars show what a figure depends on: how much it changes, in percent, if "
      "a number is 1 % larger. Two numbers are a median and a 90th percentile.");
  add_summary(page, scoreboard);
  for (const PaperScore& paper : scoreboard) add_paper(page, paper);
  page.command(command);
  return page.html();
}

} // namespace gradflight
