#include "tests/models/schedules/describe_schedule.hpp"

#include <fmt/format.h>

namespace gradflight {

namespace {

std::string range_text(Range range, Unit unit) {
  return fmt::format("{}[{},{})", unit == Unit::lists ? "lists " : "", range.first, range.first + range.count);
}

const char* combine_text(Combine combine) {
  switch (combine) {
  case Combine::take: return "take";
  case Combine::reduce: return "reduce";
  case Combine::merge: return "merge";
  }
  return "";
}

} // namespace

std::string describe(const Schedule& schedule, std::int64_t n, int participant, int index, Unit unit) {
  const Step step = schedule.step(n, participant, index);
  std::string text = fmt::format("step {}:", index);
  if (step.update) return text + " update " + range_text(step.in, unit);
  if (step.to != no_rank) {
    text += fmt::format(" send {} to {}", range_text(step.out, unit), step.to);
    if (!step.wait_sent) text += " (without waiting)";
  }
  if (step.from != no_rank) {
    text += fmt::format("{} receive {} from {}, {}", step.to == no_rank ? "" : ",", range_text(step.in, unit),
                        step.from == anyone ? "anyone" : std::to_string(step.from), combine_text(step.combine));
  }
  return text;
}

} // namespace gradflight
