#include "analysis/explore/regression/golden.hpp"

#include "analysis/run/result/comparison.hpp"
#include "analysis/run/result/fields/quantity.hpp"
#include "analysis/run/result/fields/result_fields.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {

bool ExpectationCheck::holds() const {
  if (!got) return false;
  return *got == expected.value || std::abs(*got - expected.value) <= expected.tolerance * std::abs(expected.value);
}

std::optional<double> ExpectationCheck::change() const {
  if (!got || expected.value == 0) return std::nullopt;
  return (*got - expected.value) / expected.value;
}

std::size_t GoldenCheck::moved() const {
  return static_cast<std::size_t>(
      std::count_if(quantities.begin(), quantities.end(), [](const ExpectationCheck& q) { return !q.holds(); }));
}

const ExpectationCheck* GoldenCheck::find(const std::string& quantity) const {
  const auto found = std::find_if(quantities.begin(), quantities.end(),
                                  [&](const ExpectationCheck& q) { return q.expected.quantity == quantity; });
  return found == quantities.end() ? nullptr : &*found;
}

GoldenCheck check_expectations(const std::vector<Expectation>& expect, const Outcome& outcome,
                               const Platform& platform) {
  GoldenCheck check;
  for (const Expectation& e : expect)
    check.quantities.push_back({e, find_quantity(e.quantity, outcome.scenario, platform).read(outcome)});
  return check;
}

const LinkResult* busiest_link(const RunResult& result) {
  constexpr double alike = 1e-6;
  double most = 0;
  for (const LinkResult& link : result.links) most = std::max(most, link.busy);
  const LinkResult* busiest = nullptr;
  for (const LinkResult& link : result.links) {
    if (link.bytes == 0 || link.busy < most * (1 - alike)) continue;
    if (busiest == nullptr || link.bandwidth < busiest->bandwidth) busiest = &link;
  }
  return busiest;
}

std::vector<std::int64_t> phase_ends(const Scenario& scenario) {
  std::vector<std::int64_t> ends;
  std::int64_t count = 0;
  for (const Phase& phase : scenario.phases) ends.push_back((count += phase.training.iterations) - 1);
  return ends;
}

std::vector<Expectation> standard_expectations(const Outcome& outcome, const Platform& platform) {
  const RunResult& result = outcome.result;
  std::vector<std::string> names = {"time_s"};
  if (total_iterations(outcome.scenario) > 1) names.emplace_back("iteration_time_s");
  for (std::size_t i = 0; i < result.path.size(); ++i)
    if (result.path[i] != 0) names.push_back(fmt::format("breakdown.{}_s", part_name(static_cast<Part>(i))));
  auto ends = phase_ends(outcome.scenario);
  if (!ends.empty()) ends.pop_back(); // several jobs have phases of their own
  for (const std::int64_t end : ends)
    if (end < static_cast<std::int64_t>(iterations_kept)) names.push_back(fmt::format("iterations.{}.end_s", end));
  for (const JobRun& job : result.jobs) names.push_back(fmt::format("jobs.{}.time_s", job.name));
  names.insert(names.end(), {"messages", "wire_bytes"});
  if (result.dropped_gradients != 0) names.emplace_back("dropped_gradients");
  if (const LinkResult* link = busiest_link(result)) {
    names.push_back(fmt::format("links.{}.busy_s", link->name));
    names.push_back(fmt::format("links.{}.bandwidth_bytes_per_s", link->name));
  }

  std::vector<Expectation> expectations;
  for (const std::string& name : names)
    if (const auto value = find_quantity(name, outcome.scenario, platform).read(outcome))
      expectations.push_back({name, *value, 0, ""});
  if (compare(result.time, outcome.form).verdict == Verdict::ok && outcome.form.form->all_hold())
    expectations.front().why = fmt::format("the closed form {} gives the same", outcome.form.form->name);
  return expectations;
}

} // namespace gradflight
