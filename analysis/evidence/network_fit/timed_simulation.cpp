#include "analysis/evidence/network_fit/timed_simulation.hpp"

#include "analysis/evidence/collective/collective_group.hpp"
#include "analysis/run/runner.hpp"
#include "base/letters.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/engine/streams/failure.hpp"
#include "sim/libraries/nccl_machine.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {

template <class Visitor, Same<SimulatedRow> Row> void visit(Visitor& fields, Row& r) {
  auto& [seconds, algorithm] = r;
  fields(seconds, algorithm);
}

namespace {

constexpr double streamed_messages = 64; ///< OSU's default window

/// Needs a platform with `node`; contains only the GPUs of the group.
nccl::Machine machine_of(const CollectiveGroup& group) {
  return nccl_machine(group.spec, group.nodes, group.gpus_per_node);
}

bool streams(const TimedTable& table) { return table.benchmark == Benchmark::bandwidth; }

int element_of(const TimedTable& table, const TimedSetting& setting) {
  return table.point_to_point() ? 1 : setting.element_size;
}

/// A single message is simulated as a broadcast between two ranks.
Operation simulated_operation(const TimedTable& table) {
  return table.point_to_point() ? Operation::broadcast : table.op;
}

/// Returns the simulated elements of a row: whole elements; 0: the row is left out.
std::int64_t elements_of(const TimedTable& table, double bytes, const TimedSetting& setting) {
  return counted_elements(simulated_operation(table), streams(table) ? bytes * streamed_messages : bytes,
                          element_of(table, setting), table.ranks);
}

CollectiveRequest request_for(const TimedTable& table, const TimedSetting& setting,
                              const std::vector<std::string>& sets) {
  CollectiveRequest request;
  request.ops = {simulated_operation(table)};
  request.platform = setting.platform;
  request.sets = setting.sets;
  request.sets.insert(request.sets.end(), sets.begin(), sets.end());
  request.ranks = table.ranks;
  request.nodes = table.nodes;
  request.gpus_per_node = table.ranks / table.nodes;
  request.element_size = element_of(table, setting);
  for (const TimedRow& row : table.rows)
    if (const std::int64_t elements = elements_of(table, row.size_bytes, setting); elements > 0)
      request.sizes.push_back(static_cast<double>(elements * request.element_size));
  if (table.point_to_point()) {
    request.algorithm = "binomial_tree";
    return request;
  }
  request.algorithm = setting.algorithm;
  if (!table.algorithm.empty() && request.algorithm.find(':') == std::string::npos)
    request.algorithm = (request.algorithm.empty() ? "nccl" : request.algorithm) + ":" + lower_case(table.algorithm);
  request.protocol = table.protocol;
  request.iterations = setting.iterations;
  return request;
}

std::vector<SimulatedRow> simulate_trial(const TimedTrial& trial, const TimedSetting& setting) {
  const TimedTable& table = trial.table->timed;
  const CollectiveRequest request = request_for(table, setting, trial.sets);
  const CollectiveGroup group = make_group(request);
  // The search takes most of a table's time. If the machine is the same, its result is, too.
  const auto& searched = trial.table->machine;
  const bool as_before = searched && *searched == machine_of(group);
  const auto source = as_before ? trial.table->source : check_request(request, group);
  const auto simulated = collective_table(request, request.ops.front(), group, source).rows;
  std::vector<SimulatedRow> rows;
  for (const double bytes : request.sizes) {
    const auto row = std::ranges::find(simulated, static_cast<std::int64_t>(bytes), &CollectiveRow::size_bytes);
    if (row == simulated.end()) throw std::logic_error(fmt::format("no row of {} B was simulated", bytes));
    const double seconds = row->time_us * 1e-6 / (streams(table) ? streamed_messages : 1);
    if (table.point_to_point()) {
      rows.push_back({seconds, "message"});
      continue;
    }
    rows.push_back({seconds, row->protocol.empty() ? row->algorithm : row->algorithm + " " + row->protocol});
  }
  return rows;
}

/// Reports mistakes at the log's table instead of their own positions.
void add_complaints(const TimedTable& table, const InputErrors& errors, std::vector<Diagnostic>& found) {
  for (const Diagnostic& each : errors.diagnostics())
    found.push_back({table.file, table.line, 1, "", fmt::format("{}: {}", table.name(), each.message_at_pointer())});
}

} // namespace

PlatformSpec platform_of(const TimedSetting& setting, const std::vector<SimulableTable>& tables) {
  CollectiveRequest request;
  request.platform = setting.platform;
  request.sets = setting.sets;
  if (!names_file(setting.platform))
    for (const SimulableTable& table : tables) request.nodes = std::max(request.nodes.value_or(1), table.timed.nodes);
  return make_group(request).spec;
}

std::vector<SimulableTable> simulable_tables(std::vector<TimedTable> tables, const TimedSetting& setting) {
  std::vector<Diagnostic> found;
  std::vector<SimulableTable> simulable;
  for (TimedTable& table : tables) {
    if (table.point_to_point() && table.ranks != 2) {
      found.push_back({table.file, table.line, 1, "",
                       fmt::format("{} pairs at once are not simulated: give logs of one pair, or choose by --where",
                                   table.ranks / 2)});
      continue;
    }
    std::erase_if(table.rows, [&](const TimedRow& row) { return elements_of(table, row.size_bytes, setting) == 0; });
    if (table.rows.empty()) continue;
    try {
      const CollectiveRequest request = request_for(table, setting, {});
      const CollectiveGroup group = make_group(request);
      simulable.push_back({table, check_request(request, group), {}});
      SimulableTable& added = simulable.back();
      if (added.source.library && added.source.library->setup() != nullptr) added.machine = machine_of(group);
    } catch (const InputErrors& errors) {
      add_complaints(table, errors, found);
    }
  }
  if (found.empty() && simulable.empty())
    found.push_back({tables.front().file, tables.front().line, 1, "", "no size leaves an element for each rank"});
  if (!found.empty()) throw InputErrors(std::move(found));
  return simulable;
}

std::vector<std::vector<SimulatedRow>> simulate_trials(const std::vector<TimedTrial>& trials,
                                                       const TimedSetting& setting, int jobs) {
  std::vector<std::vector<SimulatedRow>> simulated(trials.size());
  RunnerOptions options;
  options.jobs = jobs;
  options.in_caller = true;
  run_cases(
      trials.size(), options, [&](std::size_t i, Process) { return simulate_trial(trials[i], setting); },
      [&](std::size_t i, Answer<std::vector<SimulatedRow>> answer) {
        if (!answer.finished())
          throw SimulationFailure(fmt::format("{}: {}", trials[i].table->timed.name(), answer.end.message()), {});
        simulated[i] = std::move(answer.value);
      });
  return simulated;
}

} // namespace gradflight
