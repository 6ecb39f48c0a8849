// Schedules written by users, as JSON (docs/collective.md).
#pragma once

#include "models/schedules/written/written_schedule.hpp"
#include "scenarios/language/fields/table.hpp"

#include <memory>

namespace gradflight {

/// A schedule without mistakes_in(). All exchanges that name its file share it.
using SharedSchedule = std::shared_ptr<const WrittenSchedule>;

inline constexpr std::int64_t max_written_steps = 1'000'000;

/// An object, or the path of a file with one.
const Table<WrittenSchedule>& schedule_table();
Value<SharedSchedule> schedule_value();

} // namespace gradflight
