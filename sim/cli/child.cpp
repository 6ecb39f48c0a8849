#include "sim/cli/child.hpp"

#include "sim/cli/failure_text.hpp"
#include "sim/simulate.hpp"

#include <cstring>
#include <fmt/format.h>

namespace gradflight::cli {
namespace {

// The answer: one of these, then the double or the text.
constexpr char finished_tag = 'T', failed_tag = 'F';

std::string simulated(const Scenario& scenario, const Platform& platform) {
  try {
    const double time_s = simulate(scenario, platform).time;
    std::string answer(1 + sizeof time_s, finished_tag);
    std::memcpy(answer.data() + 1, &time_s, sizeof time_s);
    return answer;
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
      std::memcpy(&answer.time_s, raw.text.data() + 1, sizeof answer.time_s);
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

} // namespace gradflight::cli
