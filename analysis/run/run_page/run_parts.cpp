#include "analysis/run/run_page/run_parts.hpp"

#include "analysis/run/pages/plot.hpp"
#include "analysis/run/result/comparison.hpp"
#include "analysis/run/result/link_groups.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::string terms_cell(double value) { return value == 0 ? "-" : human_span(value); }

/// Returns the critical path of the whole run in the terms of a closed form. Parts without a term in a form, such as
/// contention, are in `other`.
FormTerms simulated_terms(const RunResult& result) {
  FormTerms terms;
  terms.time = result.time;
  terms.alpha = at(result.path, Part::alpha);
  terms.beta = at(result.path, Part::beta);
  terms.gamma = at(result.path, Part::gamma);
  terms.compute = at(result.path, Part::compute) + at(result.path, Part::update);
  const double other = terms.time - terms.alpha - terms.beta - terms.gamma - terms.compute;
  constexpr double rounding = 1e-12;
  if (std::abs(other) > rounding * terms.time) terms.other = other;
  return terms;
}

} // namespace

void add_iterations(Page& page, const Outcome& outcome) {
  const auto& all = outcome.result.iterations;
  if (all.size() < 3 || outcome.result.queue) return;
  constexpr std::size_t most = 2000; // the first ones
  PlotSeries series{"", Ink::series0, 0, all.size() <= 60, true};
  double before = 0, least = all.front().end, longest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all.keeps(i)) {
      i = all.left_out().second;
      before = all[i].end;
      continue;
    }
    const double time = all[i].end - before;
    before = all[i].end;
    least = std::min(least, time);
    longest = std::max(longest, time);
    if (i < most)
      series.at.push_back(
          {static_cast<double>(i + 1), time,
           fmt::format("iteration {}: {}, ends at {}", i + 1, human_seconds(time), human_seconds(all[i].end))});
  }
  page.heading("Iterations", "iterations");
  if (!(longest - least > 1e-6 * longest)) {
    page.paragraph(fmt::format("{}, all of {}.", counted(std::ssize(all), "iteration"), human_seconds(longest)));
    return;
  }
  Plot plot;
  plot.x = {"iteration", PlotUnit::number};
  plot.x.counts = series.at.size() <= 12;
  plot.y = {"from the update before to its own", PlotUnit::seconds};
  plot.y.from_zero = true;
  plot.series = {series};
  plot.height = 220;
  page.figure(fmt::format("How long each took: {} to {}{}.", human_seconds(least), human_seconds(longest),
                          all.size() > most ? fmt::format("; the first {} of {} are drawn", most, all.size()) : ""),
              plot, "time of each iteration");
}

void add_links(Page& page, const RunResult& result) {
  auto groups = groups_of(result);
  std::ranges::stable_sort(groups, std::ranges::greater(), &LinkGroup::most_utilisation);
  if (groups.empty()) return;
  page.heading("Links", "links");
  PageTable table{{"kind", "utilisation", "", "busy", "links", "used", "bandwidth", "bytes, busiest", "bytes, all"},
                  {}};
  std::int64_t idle = 0;
  for (const LinkGroup& g : groups) {
    if (g.used == 0) {
      idle += g.count;
      continue;
    }
    table.rows.push_back({PageCell::unbroken(g.names), human_percent(g.most_utilisation),
                          PageBar{{{std::min(1.0, g.most_utilisation), Ink::series0, "utilisation"}}},
                          human_percent(result.time > 0 ? g.most_busy / result.time : 0), fmt::format("{}", g.count),
                          fmt::format("{}", g.used), human_rate(g.bandwidth), human_bytes(g.most_bytes),
                          human_bytes(g.bytes)});
  }
  page.paragraph("Utilisation is the bytes of the busiest link, divided by what it could have carried in the whole "
                 "run. Busy is the share of the run in which it carried data.");
  if (!table.rows.empty()) page.table(table);
  if (idle > 0) page.paragraph(counted(idle, "link") + " of other kinds carried nothing.");
  if (result.traffic.empty()) return;
  page.subheading("Traffic beside the job");
  PageTable beside{{"entry", "flows", "bytes", "whole", "mean time", "longest"}, {}};
  for (const TrafficResult& t : result.traffic)
    beside.rows.push_back({t.name, human_count(static_cast<double>(t.flows)), human_bytes(t.bytes),
                           human_count(static_cast<double>(t.ended)), t.ended > 0 ? human_seconds(t.flow_time) : "-",
                           t.ended > 0 ? human_seconds(t.longest_flow_time) : "-"});
  page.table(beside);
}

void add_changes(Page& page, const Outcome& outcome) {
  if (outcome.scenario.changes.empty()) return;
  page.heading("Changes", "changes");
  constexpr std::size_t most = 40;
  PageTable table{{"time", "component", "change"}, {}};
  for (std::size_t i = 0; i < std::min(most, outcome.changes.size()); ++i)
    table.rows.push_back({human_seconds(outcome.changes[i].at), outcome.changes[i].target, outcome.changes[i].what});
  if (table.rows.empty())
    page.paragraph("None came before the end.");
  else
    page.table(table);
  if (outcome.changes.size() > most)
    page.paragraph(fmt::format("And {} more; the result (--json) lists them.", outcome.changes.size() - most));
}

void add_form(Page& page, const Outcome& outcome) {
  page.heading("Closed form", "form");
  if (!outcome.form.form) {
    page.paragraph("This scenario has none: " + outcome.form.why_none + ".");
    return;
  }
  const ClosedForm& form = *outcome.form.form;
  const Comparison comparison = compare(simulated(outcome), outcome.form);
  page.paragraph(form.name + ": " + form.formula + ".");
  page.paragraph("Source: " + form.source + ".");
  PageTable terms{{"", "alpha", "beta", "gamma", "compute", "other", "all"}, {}};
  const auto row = [&](const std::string& name, const FormTerms& t) {
    terms.rows.push_back({name, terms_cell(t.alpha), terms_cell(t.beta), terms_cell(t.gamma), terms_cell(t.compute),
                          terms_cell(t.other), human_span(t.time)});
  };
  row("closed form", form.terms);
  if (form.paper) row(form.paper->name + ", as printed", form.paper->terms);
  row("simulated", simulated_terms(outcome.result));
  page.table(terms);
  if (form.paper) page.paragraph("The form of the paper is not compared: " + form.paper->why + ".");
  page.paragraph(
      comparison.verdict == Verdict::ok
          ? (std::ranges::all_of(form.assumptions, &Assumption::holds)
                 ? "They agree to 1e-9."
                 : "They agree to 1e-9. The assumptions that fail cost no time here.")
          : fmt::format("The simulation differs by {}{}. Cause: {}.", human_span(outcome.result.time - form.terms.time),
                        comparison.relative_error ? " (" + human_error(*comparison.relative_error) + ")" : "",
                        comparison.verdict == Verdict::off
                            ? "none known: every assumption holds, so one of the two is wrong"
                            : comparison.cause));
  PageTable assumptions{{"assumption", "holds", "what breaks it"}, {}};
  for (const Assumption& a : form.assumptions) assumptions.rows.push_back({a.text, a.holds ? "yes" : "NO", a.detail});
  page.table(assumptions);
}

} // namespace gradflight
