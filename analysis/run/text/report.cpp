#include "analysis/run/text/report.hpp"

#include "analysis/run/result/comparison.hpp"
#include "analysis/run/result/memory.hpp"
#include "analysis/run/result/uneven_steps.hpp"
#include "analysis/run/text/describe.hpp"
#include "analysis/run/text/failures_text.hpp"
#include "analysis/run/text/queue_text.hpp"
#include "analysis/run/text/report_text.hpp"
#include "base/human.hpp"
#include "platforms/code/platform.hpp"
#include "sim/simulate.hpp"
#include "sim/training/bucket_layout.hpp"
#include "sim/training/job_calls.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Adds the choices of a library: a line for each size, the largest first, and only a few.
void calls_lines(const Scenario& scenario, const TrainingSpec& training, ReportText& text) {
  constexpr std::size_t most = 8;
  const auto calls = largest_calls(scenario, training, build_platform(scenario.platform, extra_nodes(scenario)));
  for (std::size_t i = 0; i < std::min(most, calls.size()); ++i) text.line(i == 0 ? "calls" : "", call_text(calls[i]));
  if (calls.size() > most) text.line("", fmt::format("and {} smaller ones", calls.size() - most));
}

constexpr std::size_t levels_shown = 3;

/// Adds "12 a step, 1.05 MB to 125 MB each".
void buckets_line(const Scenario& scenario, const TrainingSpec& training, ReportText& text) {
  if (training.granularity.kind == Granularity::Kind::model || training.selection) return;
  const auto buckets = exchange_buckets(scenario.workload, training);
  const auto [least, most] = std::ranges::minmax(buckets, {}, &Bucket::bytes);
  const std::string from = human_bytes(least.bytes()), to = human_bytes(most.bytes());
  text.line("buckets", fmt::format("{} a step, {}", buckets.size(), from == to ? from : from + " to " + to));
}

void put_memory(ReportText& text, const Scenario& scenario) {
  const MemoryNeed need = memory_per_gpu(scenario);
  text.line("memory",
            fmt::format("{} a GPU{}: {:.4g} bytes a parameter for {}; activations come on top", human_bytes(need.bytes),
                        need.capacity ? fmt::format(" of {}'s {}", need.gpu, human_bytes(*need.capacity)) : "",
                        need.bytes_per_parameter,
                        need.servers_update ? "weights and gradients, since the servers hold Adam's state"
                                            : "weights, gradients and Adam"));
}

void put_verdict(ReportText& text, const Outcome& outcome) {
  text.sentence(outcome.verdict);
  for (const Note& note : outcome.notes) text.sentence(sentence(note));
  text.blank();
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

void put_phases(ReportText& text, const Scenario& scenario) {
  for (const Phase& phase : scenario.phases) {
    const bool only = scenario.phases.size() == 1;
    text.line(only ? "exchange" : phase.name,
              fmt::format("{}, {}", exchange_line(phase.training),
                          scenario.queue ? "iterations by the list" : counted(phase.training.iterations, "iteration")));
    calls_lines(scenario, phase.training, text);
    buckets_line(scenario, phase.training, text);
  }
}

void put_scenario(ReportText& text, const Outcome& outcome) {
  const Scenario& scenario = outcome.scenario;
  text.heading(scenario.name);
  text.paragraph(scenario.description);
  text.line("platform", platform_line(scenario.platform));
  for (const Outcome& job : outcome.jobs) {
    text.line("job " + job.scenario.name,
              fmt::format("{}; {}", workload_line(job.scenario.workload), counted(job.scenario.workers(), "rank")));
    put_phases(text, job.scenario);
  }
  if (scenario.jobs.empty()) text.line("workload", workload_line(scenario.workload));
  put_phases(text, scenario);
  if (scenario.one_job()) put_memory(text, scenario);
  text.line("engine", engine_name(scenario.engine.kind));
}

void put_times(ReportText& text, const Outcome& outcome) {
  const RunResult& result = outcome.result;
  const Scenario& scenario = outcome.jobs.empty() ? outcome.scenario : outcome.jobs[result.last_job].scenario;
  text.blank();
  text.heading("Time", result.jobs.size() > 1 ? fmt::format("of job {}, which ends last; the whole run of all",
                                                            result.jobs[result.last_job].name)
                                              : "");
  text.line("iteration", human_seconds(result.iteration_time));
  if (outcome.mean_step)
    text.line("mean step", human_seconds(*outcome.mean_step) + " over all workers (the slowest takes the time above)");
  text.line("whole run", human_seconds(result.time));
  text.line("compute", human_seconds(result.compute_time) + " an iteration (busiest rank)");
  text.line("communication",
            fmt::format("{} an iteration, {} of it exposed ({})", human_seconds(result.communication_time),
                        human_seconds(result.exposed_communication_time),
                        human_percent(share(result.exposed_communication_time, result.communication_time))));
  const auto& all = result.iterations;
  std::optional<double> mean = outcome.mean ? std::optional(outcome.mean->time) : std::nullopt;
  if (!outcome.jobs.empty()) mean = mean_of_phase(scenario, result);
  const char* kind = mean ? "mean" : pipeline_is_full(scenario, result) ? "steady" : "not steady";
  if (all.size() > 1)
    text.line("iterations",
              fmt::format("{}{}: first {}, {} {}, last {}", all.size(), result.queue ? " simulated" : "",
                          human_seconds(all.front().end), kind, human_seconds(mean.value_or(result.iteration_time)),
                          human_seconds(all.back().end - all[all.size() - 2].end)));
  if (result.other_race_time)
    text.line("a race", human_seconds(*result.other_race_time) +
                            " if the other side won the races between announcements (protocol.announcements)");
  if (result.lost_messages + result.rerouted_messages > 0)
    text.line("lost", fmt::format("{}, sent again; {} by another route", counted(result.lost_messages, "message"),
                                  result.rerouted_messages));
  if (result.dropped_gradients > 0)
    text.line("dropped", counted(result.dropped_gradients, "gradient") + " came too late");
}

void put_changes(ReportText& text, const Outcome& outcome) {
  constexpr std::size_t most = 8;
  const auto& rows = outcome.changes;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i)
    text.line(i == 0 ? "changes" : "",
              fmt::format("{} at {}: {}", rows[i].target, human_seconds(rows[i].at), rows[i].what));
  if (rows.size() > most)
    text.line("", fmt::format("and {}{} more", rows.size() - most, rows.size() == change_rows_kept ? " or" : ""));
  const std::size_t later = outcome.scenario.changes.size();
  if (later > 0 && rows.empty()) text.line("changes", "none came before the end");
}

/// Returns two blanks and the bar; an empty string without a bar, to avoid blanks at the end of a line.
std::string bar_column(double fraction) {
  const std::string cells = bar(fraction);
  return cells.empty() ? cells : "  " + cells;
}

/// Whether a part can occur with these settings; others are not mentioned.
bool possible(Part part, const Scenario& scenario) {
  const auto placed = [](const Phase& p) { return p.training.compression.placement.has_value(); };
  if (part == Part::nic_pipeline || part == Part::nic_engine || part == Part::codec)
    return std::ranges::any_of(scenario.phases, placed);
  if (part == Part::traffic) return !scenario.traffic.empty();
  if (part == Part::outage) return !scenario.changes.empty() || scenario.failures;
  return part != Part::interference || scenario.platform.rate_while_computing;
}

/// Adds a row for each part with any time; the other parts share one line.
void put_breakdown(ReportText& text, const Outcome& outcome) {
  const RunResult& result = outcome.result;
  const bool several = result.iterations.size() != 1; // none: they are unknown
  text.blank();
  const bool mean = iteration_is_mean(outcome.scenario, result) || iteration_is_of_worker(result);
  const char* which = mean ? "mean" : "last";
  text.heading("Where the time goes",
               several ? fmt::format("(critical path)   {} iteration            whole run", which) : "(critical path)");
  std::string absent;
  for (std::size_t i = 0; i < result.path.size(); ++i) {
    const char* name = part_name(static_cast<Part>(i));
    const double whole = result.path[i], last = result.iteration_path[i];
    if (whole == 0 && last == 0) {
      if (possible(static_cast<Part>(i), outcome.scenario)) absent += absent.empty() ? name : std::string(", ") + name;
    } else if (several) {
      const double fraction = share(last, result.iteration_time);
      text.raw(fmt::format("  {:<14}{:>12} {:>8}   {:>12} {:>8}{}", name, human_seconds(last), human_percent(fraction),
                           human_seconds(whole), human_percent(share(whole, result.time)), bar_column(fraction)));
    } else {
      const double fraction = share(whole, result.time);
      text.raw(fmt::format("  {:<14}{:>12} {:>8}{}", name, human_seconds(whole), human_percent(fraction),
                           bar_column(fraction)));
    }
  }
  if (const double before = before_start(result).value_or(0); before > 0)
    text.raw(fmt::format("  {:<14}{:>{}} {:>8}", "before start", human_seconds(before), several ? 36 : 12,
                         human_percent(share(before, result.time))));
  if (!absent.empty()) text.line("zero", absent);
  if (const double down = result.iterations.empty() ? 0 : result.iterations.back().details.down; down > 0)
    text.line("down", fmt::format("compute contains {} of the whole run on GPUs that are down", human_seconds(down)));
  if (!outcome.bottlenecks.empty()) text.line("held up by", text_of(outcome.bottlenecks));
}

void put_traffic(ReportText& text, const RunResult& result) {
  text.blank();
  text.heading("Traffic");
  text.line("messages", human_count(static_cast<double>(result.messages)));
  text.line("bytes", result.wire_bytes == result.payload_bytes
                         ? human_bytes(result.payload_bytes)
                         : fmt::format("{} on the wire for {} of gradients", human_bytes(result.wire_bytes),
                                       human_bytes(result.payload_bytes)));
  const std::vector<std::string> busiest = busiest_links(result, levels_shown);
  for (std::size_t i = 0; i < busiest.size(); ++i) text.line(i == 0 ? "busiest links" : "", busiest[i]);
  const auto used = std::ranges::count_if(result.links, [](const LinkResult& link) { return link.bytes > 0; });
  if (used > 0) text.line("", fmt::format("{} of {} links carried data", used, result.links.size()));
  for (const TrafficResult& beside : result.traffic) {
    const std::string times =
        beside.ended == 0 ? ""
                          : fmt::format(", {} of them complete, in {} on average and at most {}",
                                        human_count(static_cast<double>(beside.ended)), human_seconds(beside.flow_time),
                                        human_seconds(beside.longest_flow_time));
    text.line(
        &beside == &result.traffic.front() ? "other traffic" : "",
        fmt::format("{}: {}, {}{}", beside.name, counted(beside.flows, "flow"), human_bytes(beside.bytes), times));
  }
}

std::string error_text(const DataResult& data) {
  if (!data.max_error || !data.bias) return "its error is unknown, because gradients or sums are not finite numbers";
  const std::string relative =
      data.relative_l2_error ? fmt::format("{:.3g} of the L2 norm", *data.relative_l2_error) : "of an exact sum of 0";
  return fmt::format("error of the sum: {:.3g} at most, {}, {:.3g} on average", *data.max_error, relative, *data.bias);
}

void put_data(ReportText& text, const DataResult& data) {
  text.blank();
  text.heading("Real gradients");
  const LegBytes all = total(data);
  const auto leg = [&](const char* name, double payload, double wire) {
    if (payload > 0)
      text.line(name,
                fmt::format("{} encoded as {}, ratio {:.4g}", human_bytes(payload), human_bytes(wire), payload / wire));
  };
  leg(all.pull_payload > 0 ? "push" : "hops", all.push_payload, all.push_wire);
  leg("pull", all.pull_payload, all.pull_wire);
  text.line("aggregate", error_text(data));
  if (!data.selection) return;
  const SelectionResult& selection = *data.selection;
  text.line("selected", fmt::format("{} of gradient and residual (L1)", human_percent(selection.selected_mass_share)));
  if (selection.shared_index_share && selection.lost_mass_share)
    text.line("exact top-k",
              fmt::format("has {} of the indices; {} of the selected mass is lost in the exchange",
                          human_percent(*selection.shared_index_share), human_percent(*selection.lost_mass_share)));
}

void put_terms(ReportText& text, const FormTerms& terms) {
  std::string line;
  const auto add = [&](const char* name, double value) {
    if (value != 0) line += fmt::format("{}{} {}", line.empty() ? "" : " + ", name, human_seconds(value));
  };
  add("alpha", terms.alpha);
  add("beta", terms.beta);
  add("gamma", terms.gamma);
  add("compute", terms.compute);
  add("other", terms.other);
  text.line("terms", fmt::format("{} = {}", line.empty() ? "nothing" : line, human_seconds(terms.time)));
}

/// Returns a sentence about a form whose difference needs no cause, or has none.
std::string agreement(const Comparison& comparison, const ClosedForm& form) {
  if (comparison.verdict == Verdict::off)
    return "unexplained: every assumption holds, so the simulation or the form is wrong";
  return form.all_hold() ? "none: they agree" : "none: they agree, although an assumption fails";
}

void put_residual(ReportText& text, const Outcome& outcome, const ClosedForm& form) {
  const Comparison comparison = compare(simulated(outcome), outcome.form);
  text.line("simulated", human_seconds(outcome.result.time));
  std::string residual = human_seconds(outcome.result.time - form.terms.time);
  if (comparison.relative_error) residual += fmt::format(" (relative {})", human_error(*comparison.relative_error));
  text.line("residual", residual);
  for (const Assumption& a : form.assumptions) {
    const std::string claim = a.detail.empty() ? a.text : a.text + ": " + a.detail;
    text.verdict(&a == &form.assumptions.front() ? "assumptions" : "", a.holds, claim);
  }
  text.line("cause", comparison.verdict == Verdict::explained ? comparison.cause : agreement(comparison, form));
}

void put_form(ReportText& text, const Outcome& outcome) {
  text.blank();
  if (!outcome.form.form) {
    text.heading("Closed form", "none");
    text.line("why", outcome.form.why_none);
    return;
  }
  const ClosedForm& form = *outcome.form.form;
  text.heading("Closed form", form.name);
  text.line("formula", form.formula);
  text.line("source", form.source);
  put_terms(text, form.terms);
  put_residual(text, outcome, form);
  if (!form.paper) return;
  text.blank();
  text.heading("As the paper prints it", form.paper->name);
  text.line("source", form.paper->source);
  put_terms(text, form.paper->terms);
  text.line("not compared", form.paper->why);
}

/// Returns "contention 80 ms (30.8 %), other traffic 80 ms (30.8 %)"; empty if nothing held the job up.
std::string waits_of(const RunResult& run) {
  std::string text;
  for (const auto& [part, name] : {std::pair(Part::contention, "contention"), std::pair(Part::traffic, "other traffic"),
                                   std::pair(Part::outage, "waiting for links that are down")})
    if (const double waited = at(run.path, part); waited > 0)
      text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", name, human_seconds(waited),
                          human_percent(share(waited, run.time)));
  return text;
}

/// Adds for each of several jobs its start, its time, and what slowed it down.
void put_jobs(ReportText& text, const Outcome& outcome) {
  text.blank();
  text.heading("Jobs");
  for (std::size_t j = 0; j < outcome.jobs.size(); ++j) {
    const JobRun& job = outcome.result.jobs[j];
    const auto mean = mean_of_phase(outcome.jobs[j].scenario, job.run);
    std::string line =
        fmt::format("{} from {}, {} an iteration{}", human_seconds(job.run.time), human_seconds(job.start),
                    human_seconds(mean.value_or(job.run.iteration_time)), mean ? " on average" : "");
    if (const auto slower = slowdown(job)) line += fmt::format(", {:.4g} times its time alone", *slower);
    text.line(job.name, line);
    if (const std::string waits = waits_of(job.run); !waits.empty())
      text.line("", waits + (outcome.jobs[j].bottlenecks.empty() ? "" : ": " + text_of(outcome.jobs[j].bottlenecks)));
    const auto& form = outcome.jobs[j].form.form;
    if (!form) continue;
    const Comparison comparison = compare(job.run.time, outcome.jobs[j].form);
    const bool agrees = comparison.verdict != Verdict::explained;
    text.line("", fmt::format("closed form {}: {}; {}", form->name, human_seconds(form->terms.time),
                              agrees ? agreement(comparison, *form) : form->cause()));
  }
  if (const auto index = fairness(outcome.result.jobs))
    text.line("fairness", fmt::format("{:.4g} (Jain's index of the slowdowns)", *index));
}

} // namespace

std::string report(const Outcome& outcome, const ReportStyle& style, double moved) {
  ReportText text(style);
  if (outcome.scenario.one_job()) put_verdict(text, outcome);
  put_scenario(text, outcome);
  if (!outcome.jobs.empty()) put_jobs(text, outcome);
  if (outcome.result.queue) put_queue(text, outcome.result);
  put_times(text, outcome);
  put_changes(text, outcome);
  if (moved > 0) text.line("last digits", fmt::format("this time depends on a tie: +- {:.1g} %", 100 * moved));
  put_failures(text, outcome);
  put_breakdown(text, outcome);
  put_traffic(text, outcome.result);
  if (outcome.result.data) put_data(text, *outcome.result.data);
  put_form(text, outcome);
  return std::move(text).take();
}

} // namespace gradflight
