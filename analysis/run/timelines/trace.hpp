// A timeline in Chrome's trace-event format (JSON), which Perfetto (https://ui.perfetto.dev) and chrome://tracing open.
//
// One process a rank, with threads "compute", "comm0", "comm0 send", "comm0 receive", ...; what overlaps on one of them
// goes on to a second lane ("comm0 receive 2"). A message is a slice at its sender (posted to arrived), a slice at its
// receiver (first byte to arrived) and a flow arrow between the two, where both are shown. Each link is a counter, in a
// process "links": its utilisation in percent, of transfers at their mean rates. A process "critical path" has what the
// end waited for, back to the start. What happened to the platform is an instant across all. Times are microseconds,
// whole nanoseconds (what Perfetto keeps).
#pragma once

#include "analysis/run/timelines/byte_sink.hpp"
#include "analysis/run/timelines/selection.hpp"

#include <string>

namespace gradflight {

/// Bytes of JSON that a slice takes, about: for select().
inline constexpr double trace_bytes_per_slice = 150;

/// Writes event by event: memory is O(records) for the order of the lanes, never the text. The caller checks ferror.
void write_trace(const SelectedTimeline& selected, const std::string& scenario, ByteSink& out);

/// How every trace of this tool begins; tells one from a file of someone else's.
inline constexpr const char* trace_opening = "{\"otherData\":{\"tool\":\"gradflight\"";

} // namespace gradflight
