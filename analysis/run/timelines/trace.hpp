// Writes a timeline in Chrome's trace-event format (JSON), which Perfetto (https://ui.perfetto.dev) and
// chrome://tracing open.
//
// Each rank is a process with threads "compute", "comm0", "comm0 send", "comm0 receive", ...; overlapping slices of a
// thread use a second lane ("comm0 receive 2"). A message is a slice at its sender (posted to arrived), and a slice at
// its receiver (first byte to arrived). A flow arrow connects the two if both are shown. Each link is a counter in a
// process "links": its utilisation in percent, with transfers at their mean rates. A process "critical path" contains
// the critical path from the end back to the start. Events of the platform are instants across all processes. Times are
// microseconds with a resolution of whole nanoseconds, as in Perfetto.
#pragma once

#include "analysis/run/timelines/byte_sink.hpp"
#include "analysis/run/timelines/selection.hpp"

#include <string>

namespace gradflight {

/// Approximate bytes of JSON per slice, for select().
inline constexpr double trace_bytes_per_slice = 150;

/// Writes event by event. Memory is O(records) for the order of the lanes; the text is not stored. The caller must
/// check ferror.
void write_trace(const SelectedTimeline& selected, const std::string& scenario, ByteSink& out);

} // namespace gradflight
