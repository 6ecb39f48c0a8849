#include "analysis/run/result/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradflight {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
  case Verdict::ok: return "ok";
  case Verdict::explained: return "explained";
  case Verdict::off: return "off";
  case Verdict::no_form: return "no form";
  }
  return "";
}

namespace {

bool any_of(AssumptionId id, std::initializer_list<AssumptionId> ids) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// Whether an assumption only says that messages share links or stages of NICs. The cost of sharing is known for each
/// link.
bool about_sharing(AssumptionId id) {
  using enum AssumptionId;
  return any_of(id, {links_exclusive, links_ordered, links_even, engines_exclusive, engines_even});
}

/// Whether a form with this assumption counts what sharing costs, if links and stages are shared evenly.
bool counts_sharing(AssumptionId id) { return any_of(id, {AssumptionId::links_even, AssumptionId::engines_even}); }

/// The time that a failed assumption adds to a part of the path; a reduction counts as 0. `any`: the difference is
/// noticeable.
struct Added {
  double seconds = 0;
  bool any = false;
};
/// Only for assumptions that affect a few parts of the path.
std::optional<Added> added_by(AssumptionId id, const Path& path, const FormTerms& form, double nothing) {
  using enum AssumptionId;
  const auto more = [&](std::initializer_list<double> differences) {
    Added added;
    for (const double seconds : differences) {
      added.seconds = std::max(added.seconds, seconds);
      added.any = added.any || std::abs(seconds) > nothing;
    }
    return added;
  };
  const double alpha = at(path, Part::alpha) - form.alpha;
  if (about_sharing(id)) return more({at(path, Part::contention) + at(path, Part::traffic)});
  switch (id) {
  case links_alike: return more({alpha, at(path, Part::beta) - form.beta});
  case latencies_alike: return more({alpha});
  case reducers_alike: return more({at(path, Part::gamma) - form.gamma});
  case rate_beside_compute: return more({at(path, Part::interference)});
  default: return std::nullopt;
  }
}

std::string cause_of(const Simulated& run, const ClosedForm& form) {
  const double nothing = form_tolerance * run.time;
  const double contention = at(run.path, Part::contention) + at(run.path, Part::traffic);
  const std::vector<Assumption> failed = form.failed();
  // If the form counts shared links and stages of NICs, their cost is only the time beyond the form. Its other time
  // contains the stages.
  const auto parts = [&](std::initializer_list<Part> all) {
    double seconds = 0;
    for (const Part part : all) seconds += at(run.path, part);
    return seconds;
  };
  const double stages = form.terms.other - parts({Part::host, Part::merge, Part::codec});
  const bool beyond = contention + parts({Part::beta, Part::nic_pipeline, Part::nic_engine}) >
                      form.terms.beta + std::max(0.0, stages) + nothing;
  const bool shared = beyond || std::ranges::any_of(failed, [](const Assumption& a) {
                        return about_sharing(a.id) && !counts_sharing(a.id);
                      });
  const bool names_links = shared && contention > nothing && !run.bottlenecks.empty();
  struct Cause {
    double seconds;
    std::string text;
  };
  std::vector<Cause> causes;
  if (names_links) causes.push_back({run.bottlenecks.front().seconds, run.beyond + text_of(run.bottlenecks)});
  double by_links = 0;
  for (const Bottleneck& links : run.bottlenecks) by_links += links.seconds;
  const Added beside{std::max(0.0, run.time - form.terms.time - std::min(by_links, contention)), true};
  for (const Assumption& a : failed) {
    const Added added = added_by(a.id, run.path, form.terms, nothing).value_or(beside);
    if (!added.any) continue;
    if (about_sharing(a.id) && names_links) continue; // the names of the links are more precise
    causes.push_back({added.seconds, a.sentence()});
  }
  std::ranges::stable_sort(causes, std::greater{}, &Cause::seconds);
  std::string joined;
  for (const Cause& cause : causes) joined += (joined.empty() ? "" : "; ") + cause.text;
  return joined.empty() ? form.cause() : joined;
}

/// Returns everything except the cause of a residual that some assumption explains.
Comparison verdict_on(double simulated_s, const ClosedFormAnswer& answer, double tolerance) {
  Comparison result;
  if (!answer.form) return result;
  const double form_s = answer.form->terms.time;
  if (form_s != 0)
    result.relative_error = (simulated_s - form_s) / form_s;
  else if (simulated_s == 0)
    result.relative_error = 0;

  // Comparisons with NaN are false, so NaN is never within the tolerance.
  if (result.relative_error && std::abs(*result.relative_error) <= tolerance) {
    result.verdict = Verdict::ok;
  } else if (answer.form->all_hold()) {
    result.verdict = Verdict::off;
    result.cause = "unexplained";
  } else {
    result.verdict = Verdict::explained;
  }
  return result;
}

} // namespace

Comparison compare(const Simulated& run, const ClosedFormAnswer& answer, double tolerance) {
  Comparison result = verdict_on(run.time, answer, tolerance);
  if (result.verdict == Verdict::explained) result.cause = cause_of(run, *answer.form);
  return result;
}

Comparison compare(double simulated_s, const ClosedFormAnswer& answer, double tolerance) {
  Comparison result = verdict_on(simulated_s, answer, tolerance);
  if (result.verdict == Verdict::explained) result.cause = answer.form->cause();
  return result;
}

} // namespace gradflight
