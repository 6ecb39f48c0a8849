// A timeline in Perfetto's own format (protobuf: perfetto/trace/trace.proto, messages Trace, TracePacket,
// TrackDescriptor, TrackEvent, InternedData), which https://ui.perfetto.dev and trace_processor open. The same tracks
// as trace.hpp's, in a third of the bytes. Timestamps are whole nanoseconds.
#pragma once

#include "analysis/run/timelines/byte_sink.hpp"
#include "analysis/run/timelines/selection.hpp"

#include <string>
#include <string_view>

namespace gradflight {

/// Bytes that a slice takes, about: for select().
inline constexpr double perfetto_bytes_per_slice = 45;

/// Writes packet by packet. The caller checks ferror.
void write_perfetto(const SelectedTimeline& selected, const std::string& scenario, ByteSink& out);

/// Whether a file that begins so is one of write_perfetto's.
bool perfetto_opening(std::string_view bytes);

} // namespace gradflight
