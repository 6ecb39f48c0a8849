#include "analysis/runs/child.hpp"

#include "analysis/runs/failure_text.hpp"
#include "analysis/runs/result_bytes.hpp"
#include "sim/simgrid/simgrid_engine.hpp"

#include <cstring>
#include <fmt/format.h>

namespace gradflight {
namespace {

// The answer: one of these, then the result or the text.
constexpr char finished_tag = 'T', failed_tag = 'F';

std::string simulated(const Scenario& scenario, const Platform& platform) {
  try {
    return finished_tag + to_bytes(simulate_on_simgrid(scenario, platform));
  } catch (const SimulationFailure& failure) {
    return failed_tag + failure_line(failure);
  }
}

} // namespace

SimulationChild::SimulationChild(const Scenario& scenario, const Platform& platform)
    : work_([&] { return simulated(scenario, platform); }) {}

ChildAnswer SimulationChild::finish() {
  const ForkedAnswer raw = work_.finish();
  ChildAnswer answer;
  switch (raw.kind) {
  case ForkedAnswer::Kind::answered:
    if (raw.text.front() == failed_tag) {
      answer.message = raw.text.substr(1);
    } else {
      answer.finished = true;
      answer.result = from_bytes(std::string_view(raw.text).substr(1));
    }
    break;
  case ForkedAnswer::Kind::threw: answer.message = "a bug, please report: " + raw.text; break;
  case ForkedAnswer::Kind::no_memory: answer.message = "not enough memory for this scenario"; break;
  case ForkedAnswer::Kind::stopped: answer.message = fmt::format("the simulation was killed by {}", raw.text); break;
  case ForkedAnswer::Kind::vanished:
    answer.message = fmt::format("the simulation's process ended without an answer ({})", raw.text);
  }
  return answer;
}

} // namespace gradflight
