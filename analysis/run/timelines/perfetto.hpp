// Writes a timeline in Perfetto's own format (protobuf: perfetto/trace/trace.proto, messages Trace, TracePacket,
// TrackDescriptor, TrackEvent, InternedData). https://ui.perfetto.dev and trace_processor open it. The tracks are the
// same as in trace.hpp, with a third of the bytes. Timestamps are whole nanoseconds.
#pragma once

#include "analysis/run/timelines/byte_sink.hpp"
#include "analysis/run/timelines/selection.hpp"

#include <string>
#include <string_view>

namespace gradflight {

/// Approximate bytes per slice, for select().
inline constexpr double perfetto_bytes_per_slice = 45;

/// Writes packet by packet. The caller must check ferror.
void write_perfetto(const SelectedTimeline& selected, const std::string& scenario, ByteSink& out);

/// Whether a file with these first bytes was written by write_perfetto.
bool perfetto_opening(std::string_view bytes);

} // namespace gradflight
