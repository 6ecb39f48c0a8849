#include "analysis/explore/regression/golden_text.hpp"

#include "analysis/run/result/comparison.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Relative; another compiler or summation order may cause such a difference, a change of the model does not.
constexpr double rounding = 1e-12;

/// A change within its tolerance is no cause.
bool moved(const ExpectationCheck* q) { return q != nullptr && q->got && !q->holds(); }

std::string percent_of(const ExpectationCheck& q) {
  const auto change = q.change();
  return change ? fmt::format(" ({})", human_error(*change)) : "";
}

std::string longer(double seconds) {
  return fmt::format("{} {}", human_seconds(std::abs(seconds)), seconds < 0 ? "less" : "longer");
}

/// The file names all parts that existed: those that it omits were 0.
bool names_all_parts(const GoldenCheck& check, const ExpectationCheck& total, const std::string& prefix) {
  double sum = 0;
  for (int i = 0; i < part_count; ++i)
    if (const auto* q = check.find(fmt::format("{}{}_s", prefix, part_name(static_cast<Part>(i)))))
      sum += q->expected.value;
  return std::abs(sum - total.expected.value) <= form_tolerance * std::abs(total.expected.value);
}

std::string parts_now(const Path& path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part_name(static_cast<Part>(i)), human_seconds(path[i]));
  return text.empty() ? "nothing" : text;
}

/// "the whole run takes 1.4 ms longer (+0.95 %): beta +1.4 ms (+1.01 %); as before: alpha, gamma".
std::string time_sentence(const GoldenCheck& check, const std::string& title, const ExpectationCheck& total,
                          const std::string& prefix, const Path& path) {
  struct Moved {
    double difference;
    std::string text;
  };
  const bool all = names_all_parts(check, total, prefix);
  std::vector<Moved> changes;
  std::string same;
  bool named = false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char* name = part_name(static_cast<Part>(i));
    const auto* part = check.find(fmt::format("{}{}_s", prefix, name));
    named = named || part != nullptr;
    if (part == nullptr && (!all || path[i] == 0)) continue;
    const double difference = path[i] - (part != nullptr ? part->expected.value : 0);
    if (std::abs(difference) <= 1e-9 * std::abs(total.expected.value))
      same += (same.empty() ? "" : ", ") + std::string(name);
    else
      changes.push_back({difference, fmt::format("{} {}{}", name, signed_seconds(difference),
                                                 part != nullptr ? percent_of(*part) : " (it had none)")});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Moved& a, const Moved& b) { return std::abs(a.difference) > std::abs(b.difference); });
  std::string text = fmt::format("{} takes {}{}", title, longer(total.difference()), percent_of(total));
  if (!named)
    return text + fmt::format("; its parts are now {} (the file expects no {}*, so the part that changed is unknown)",
                              parts_now(path), prefix);
  double rest = total.difference();
  for (const Moved& change : changes) rest -= change.difference;
  if (std::abs(rest) > 1e-6 * std::abs(total.difference()))
    changes.push_back({rest, "parts that the file does not expect " + signed_seconds(rest)});
  for (std::size_t i = 0; i < changes.size(); ++i) text += (i == 0 ? ": " : ", ") + changes[i].text;
  if (!same.empty()) text += "; as before: " + same;
  return text;
}

void add_times(const GoldenCheck& check, const RunResult& result, std::vector<std::string>& lines) {
  if (const auto* time = check.find("time_s"); moved(time))
    lines.push_back(time_sentence(check, "the whole run", *time, "breakdown.", result.path));
  const auto* step = check.find("iteration_time_s");
  if (!moved(step)) return;
  const std::string prefix = "iteration_breakdown.";
  const bool parts = std::any_of(check.quantities.begin(), check.quantities.end(),
                                 [&](const ExpectationCheck& q) { return q.expected.quantity.starts_with(prefix); });
  if (parts || lines.empty())
    lines.push_back(time_sentence(check, "an iteration", *step, prefix, result.iteration_path));
  else
    lines.push_back(fmt::format("an iteration takes {}{}", longer(step->difference()), percent_of(*step)));
}

/// Adds each phase's share, if the file has the ends of the phases; else the first iteration that moved.
void add_phases(const GoldenCheck& check, const Outcome& outcome, std::vector<std::string>& lines) {
  const auto ends = phase_ends(outcome.scenario);
  double before = 0; // how much later all phases up to here end
  bool known = ends.size() > 1;
  std::vector<std::string> found;
  for (std::size_t i = 0; i < ends.size() && known; ++i) {
    const auto* end = check.find(fmt::format("iterations.{}.end_s", ends[i]));
    if (end == nullptr && i + 1 == ends.size()) end = check.find("time_s");
    if (end == nullptr || !end->got) {
      known = false;
      break;
    }
    const double difference = end->difference() - before;
    before = end->difference();
    if (std::abs(difference) > 1e-9 * std::abs(end->expected.value))
      found.push_back(fmt::format("phase {} takes {}", outcome.scenario.phases[i].name, longer(difference)));
  }
  if (known) {
    lines.insert(lines.end(), found.begin(), found.end());
    return;
  }
  for (std::int64_t i = 0; i < std::ssize(outcome.result.iterations); ++i) {
    const auto* end = check.find(fmt::format("iterations.{}.end_s", i));
    if (!moved(end)) continue;
    const auto& phases = outcome.scenario.phases; // of several jobs: none
    const std::string phase = phases.empty() ? "" : fmt::format(" (phase {})", phase_of_iteration(outcome.scenario, i));
    lines.push_back(fmt::format("iteration {}{} is the first one that does not end at its expected time: {}{}", i,
                                phase, longer(end->difference()), percent_of(*end)));
    return;
  }
}

std::string link_sentence(const GoldenCheck& check, const LinkResult& link) {
  const std::string prefix = fmt::format("links.{}.", link.name);
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (const auto* q = check.find(prefix + "bandwidth_bytes_per_s"); moved(q))
    add(fmt::format("{} instead of {}{}", human_rate(*q->got), human_rate(q->expected.value), percent_of(*q)));
  if (const auto* q = check.find(prefix + "bytes"); moved(q))
    add(fmt::format("carries {} instead of {}{}", human_bytes(*q->got), human_bytes(q->expected.value),
                    percent_of(*q)));
  if (const auto* q = check.find(prefix + "busy_s"); moved(q))
    add(fmt::format("busy {}{}", longer(q->difference()), percent_of(*q)));
  if (const auto* q = check.find(prefix + "utilisation"); moved(q))
    add(fmt::format("used {} instead of {}", human_percent(*q->got), human_percent(q->expected.value)));
  return text.empty() ? "" : fmt::format("link {}: {}", link.name, text);
}

void add_links(const GoldenCheck& check, const RunResult& result, std::vector<std::string>& lines) {
  const LinkResult* busiest = busiest_link(result);
  constexpr double alike = 1e-6;
  bool any = false;
  double busy = 0; // of the links that the file names
  for (const LinkResult& link : result.links) {
    const std::string prefix = fmt::format("links.{}.", link.name);
    const bool named = std::any_of(check.quantities.begin(), check.quantities.end(),
                                   [&](const ExpectationCheck& q) { return q.expected.quantity.starts_with(prefix); });
    if (!named) continue;
    any = true;
    busy = std::max(busy, link.busy);
    if (std::string text = link_sentence(check, link); !text.empty()) lines.push_back(std::move(text));
  }
  if (busiest != nullptr && (!any || busiest->busy > busy * (1 + alike)))
    lines.push_back(fmt::format("the busiest link is {}{}: {}, {} carried, busy {}", any ? "now " : "", busiest->name,
                                human_rate(busiest->bandwidth), human_bytes(busiest->bytes),
                                human_seconds(busiest->busy)));
}

/// The form depends only on the scenario: if the form moved too, the scenario changed.
void add_form(const GoldenCheck& check, const Outcome& outcome, std::vector<std::string>& lines) {
  const auto* time = check.find("time_s");
  if (!moved(time) || !outcome.form.form) return;
  const ClosedForm& form = *outcome.form.form;
  const bool fits_now = compare(*time->got, outcome.form).verdict == Verdict::ok;
  const bool fitted_before = compare(time->expected.value, outcome.form).verdict == Verdict::ok;
  const std::string gives = fmt::format("the closed form {} gives {}", form.name, human_seconds(form.terms.time));
  if (fits_now && !fitted_before)
    lines.push_back(gives + " as well: the scenario (or a file that it names) changed, not how it is simulated");
  else if (fitted_before && form.all_hold())
    lines.push_back(gives + ", as the file expects: how it is simulated changed, not the scenario");
  else if (!form.all_hold())
    lines.push_back(fmt::format("{}; {}", gives, form.cause()));
}

} // namespace

std::vector<std::string> explain_change(const GoldenCheck& check, const Outcome& outcome) {
  const bool only_rounding =
      std::all_of(check.quantities.begin(), check.quantities.end(), [](const ExpectationCheck& q) {
        return q.holds() || (q.change() && std::abs(*q.change()) <= rounding);
      });
  if (only_rounding)
    return {"only the last digits moved. Possible causes: another engine, another order of sums, or a compiler that "
            "contracts or reorders them"};
  std::vector<std::string> lines;
  add_times(check, outcome.result, lines);
  add_phases(check, outcome, lines);
  add_links(check, outcome.result, lines);
  add_form(check, outcome, lines);
  return lines;
}

} // namespace gradflight
