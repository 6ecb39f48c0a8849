#include "analysis/exploration/sweep_child.hpp"

#include "analysis/runs/failure_text.hpp"
#include "analysis/runs/prepare.hpp"
#include "models/units/unit_text.hpp"
#include "sim/simgrid/simgrid_engine.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

/// Shape errors have no place in a file here: the pointer says enough.
std::string shape_message(const std::vector<PlatformError>& errors) {
  std::vector<Diagnostic> found;
  for (const auto& error : errors) found.push_back({{}, 0, 0, error.pointer, error.message});
  return brief_message(found);
}

SweepRecord simulated(const SweepPoint& point, const std::vector<QuantityColumn>& columns) {
  SweepRecord record{point.id, PointStatus::ok, {}, {}, 0, 0};
  std::optional<Platform> platform;
  if (const auto errors = shape_errors(*point.scenario, platform); !errors.empty()) {
    record.status = PointStatus::invalid;
    record.message = shape_message(errors);
    return record;
  }
  try {
    Outcome outcome;
    outcome.result = simulate_on_simgrid(*point.scenario, *platform);
    outcome.form = closed_form(*point.scenario, *platform);
    outcome.scenario = *point.scenario;
    outcome.id = point.id;
    record.cells = quantity_cells(outcome, columns);
  } catch (const SimulationFailure& failure) {
    record.status = PointStatus::failed;
    record.message = failure_line(failure);
  }
  return record;
}

} // namespace

PointChild::PointChild(SweepPoint point, const std::vector<QuantityColumn>& columns, const ForkLimits& limits)
    : point_(std::move(point)), limits_(limits),
      work_([&] { return record_line(simulated(point_, columns)); }, limits) {}

SweepRecord PointChild::finish(bool out_of_time) {
  if (out_of_time) work_.stop();
  const auto answer = work_.finish();
  SweepRecord record{point_.id, PointStatus::killed, {}, {}, 0, 0};
  switch (answer.kind) {
  case ForkedAnswer::Kind::answered:
    if (auto told = parse_record_line(answer.text))
      record = std::move(*told);
    else
      record.message = "its answer was cut short";
    break;
  case ForkedAnswer::Kind::threw:
    record.status = PointStatus::failed;
    record.message = "a bug, please report: " + answer.text;
    break;
  case ForkedAnswer::Kind::no_memory:
    record.message = limits_.memory_bytes
                         ? fmt::format("more memory than {}",
                                       format_quantity(static_cast<double>(*limits_.memory_bytes), Dimension::bytes))
                         : "not enough memory";
    break;
  case ForkedAnswer::Kind::stopped:
    record.message = out_of_time ? fmt::format("not done after {}", format_quantity(*limits_.wall_s, Dimension::time))
                                 : "killed by " + answer.text;
    break;
  case ForkedAnswer::Kind::vanished: record.message = "it ended without an answer: " + answer.text;
  }
  record.wall_s = answer.wall_s;
  record.max_rss_bytes = answer.max_rss_bytes;
  return record;
}

} // namespace gradflight
