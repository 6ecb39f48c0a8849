#include "analysis/runs/failure_text.hpp"

#include "sim/engine/simulate.hpp"

#include <fmt/format.h>

namespace gradflight {

namespace {
std::string blocked_text(const Blocked& b) {
  return fmt::format("rank {} {} waits for {}", b.rank, b.stream, b.waiting_for);
}
} // namespace

std::string failure_text(const SimulationFailure& failure) {
  std::string text = fmt::format("gradflight: the simulation failed: {}\n", failure.what());
  for (const Blocked& b : failure.blocked) text += "  " + blocked_text(b) + '\n';
  const auto more = failure.blocked_count - std::ssize(failure.blocked);
  if (more > 0) text += fmt::format("  and {} more\n", more);
  return text;
}

std::string failure_line(const SimulationFailure& failure) {
  std::string text = failure.what();
  if (!failure.blocked.empty()) text += "; " + blocked_text(failure.blocked.front());
  if (failure.blocked_count > 1) text += fmt::format("; and {} more", failure.blocked_count - 1);
  return text;
}

} // namespace gradflight
