#include "analysis/run/failure_text.hpp"

#include "sim/simulate.hpp"

#include <fmt/format.h>

namespace gradflight {

namespace {
std::string blocked_text(const Blocked& b) {
  const std::string job = b.job.empty() ? "" : fmt::format("job {}, ", b.job);
  return fmt::format("{}rank {} {} waits for {}", job, b.rank, b.stream, b.waiting_for);
}
} // namespace

std::string failure_text(const SimulationFailure& failure) {
  std::string text = fmt::format("gradflight: the simulation failed: {}\n", failure.what());
  for (const Blocked& b : failure.blocked) text += "  " + blocked_text(b) + '\n';
  const auto more = failure.blocked_count - std::ssize(failure.blocked);
  if (more > 0) text += fmt::format("  and {} more\n", more);
  return text;
}

std::string failure_line(const std::string& what, const std::vector<Blocked>& blocked, std::int64_t count) {
  std::string text = what;
  if (!blocked.empty()) text += "; " + blocked_text(blocked.front());
  if (count > 1) text += fmt::format("; and {} more", count - 1);
  return text;
}

} // namespace gradflight
