#include "analysis/run/timelines/perfetto.hpp"

#include "analysis/run/timelines/protobuf.hpp"
#include "analysis/run/timelines/trace_counters.hpp"
#include "analysis/run/timelines/trace_lanes.hpp"

#include <fmt/format.h>
#include <functional>
#include <map>

namespace gradflight {
namespace {

// Field numbers in use, for each message.
namespace trace_field {
constexpr int packet = 1;
}
namespace packet_field {
constexpr int timestamp = 8, sequence = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
              track_descriptor = 60;
}
namespace track_field {
constexpr int uuid = 1, name = 2, process = 3, parent = 5, counter = 8;
}
namespace process_field {
constexpr int pid = 1, name = 6;
}
namespace counter_field {
constexpr int unit_name = 6;
}
namespace event_field {
constexpr int annotation = 4, type = 9, name_id = 10, track = 11, category = 22, counter_value = 44, flow = 47;
}
namespace annotation_field {
constexpr int int_value = 4, double_value = 5, name = 10;
}
namespace interned_field {
constexpr int event_names = 2, id = 1, name = 2;
}

enum EventType : std::uint8_t { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };
enum SequenceFlags : std::uint8_t { state_cleared = 1, needs_state = 2 };

constexpr std::string_view about = "gradflight";

class Packets {
public:
  Packets(const SelectedTimeline& selected, ByteSink& out)
      : selected_(selected), timeline_(selected.timeline), lanes_(assign_lanes(timeline_, selected.shown)), out_(out) {}

  void write(const std::string& scenario) {
    std::string text = fmt::format("{}: {}", about, scenario);
    if (const std::string missing = left_out_text(selected_); !missing.empty())
      text += fmt::format(" (left out for its size: {})", missing);
    if (timeline_.truncated) text += " (the first records only)";
    about_ = put_track(0, text);
    put_tracks();
    for (const TraceSlice& slice : lanes_.slices) slice.kind == LaneKind::work ? put_work(slice) : put_message(slice);
    put_path();
    put_links();
    for (const TimelineMark& mark : timeline_.marks)
      put_event(instant, about_, trace_nanoseconds(mark.time), mark.text, "change", {});
  }

private:
  void put_packet(const std::function<void(Protobuf&)>& fill) {
    packet_.clear();
    fill(packet_);
    packet_.varint(packet_field::sequence, 1);
    // Interned data are valid from here on, because the file contains no other writer's data.
    packet_.varint(packet_field::sequence_flags, first_ ? state_cleared | needs_state : needs_state);
    first_ = false;
    Protobuf framed;
    framed.message(trace_field::packet, packet_);
    out_.write(framed.bytes());
  }

  std::uint64_t put_track(std::uint64_t parent, const std::string& name, const Protobuf* process = nullptr,
                          const Protobuf* counts = nullptr) {
    const std::uint64_t uuid = ++tracks_;
    put_packet([&](Protobuf& packet) {
      Protobuf track;
      track.text(track_field::name, name); // first, because perfetto_opening searches for it
      track.varint(track_field::uuid, uuid);
      if (parent != 0) track.varint(track_field::parent, parent);
      if (process != nullptr) track.message(track_field::process, *process);
      if (counts != nullptr) track.message(track_field::counter, *counts);
      packet.message(packet_field::track_descriptor, track);
    });
    return uuid;
  }

  void put_tracks() {
    std::map<int, std::uint64_t> of_rank;
    for (const TraceThread& thread : lanes_.threads) {
      const auto [at, fresh] = of_rank.try_emplace(thread.rank, 0);
      if (fresh) {
        Protobuf process;
        const std::string name = record_name(timeline_.rank_names, thread.rank, "rank");
        process.varint(process_field::pid, static_cast<std::uint64_t>(thread.rank) + 1);
        process.text(process_field::name, name);
        at->second = put_track(0, name, &process);
      }
      thread_tracks_.push_back(put_track(at->second, thread.name()));
    }
  }

  /// Returns the number of an interned name. A new name is written with the first event that uses it.
  std::uint64_t name_id(const std::string& name, Protobuf& packet) {
    const auto [at, fresh] = names_.try_emplace(name, names_.size() + 1);
    if (fresh) {
      Protobuf entry, all;
      entry.varint(interned_field::id, at->second);
      entry.text(interned_field::name, name);
      all.message(interned_field::event_names, entry);
      packet.message(packet_field::interned_data, all);
    }
    return at->second;
  }

  struct Details {
    std::int64_t iteration = -1, flow = -1;
    double bytes = -1;
  };

  void put_event(EventType type, std::uint64_t track, std::int64_t at, const std::string& name, const char* category,
                 const Details& details) {
    put_packet([&](Protobuf& packet) {
      Protobuf event;
      event.varint(event_field::type, type);
      event.varint(event_field::track, track);
      if (type != slice_end) {
        event.varint(event_field::name_id, name_id(name, packet));
        event.text(event_field::category, category);
        annotate(event, "iteration", details.iteration);
        if (details.bytes >= 0) annotate_number(event, "bytes", details.bytes);
        if (details.flow >= 0) event.fixed64(event_field::flow, static_cast<std::uint64_t>(details.flow) + 1);
      }
      packet.varint(packet_field::timestamp, static_cast<std::uint64_t>(at));
      packet.message(packet_field::track_event, event);
    });
  }

  static void annotate(Protobuf& event, const char* name, std::int64_t value) {
    if (value < 0) return;
    Protobuf note;
    note.text(annotation_field::name, name);
    note.varint(annotation_field::int_value, static_cast<std::uint64_t>(value));
    event.message(event_field::annotation, note);
  }
  static void annotate_number(Protobuf& event, const char* name, double value) {
    Protobuf note;
    note.text(annotation_field::name, name);
    note.number(annotation_field::double_value, value);
    event.message(event_field::annotation, note);
  }

  void put_slice(std::uint64_t track, std::int64_t begin, std::int64_t end, const std::string& name,
                 const char* category, const Details& details) {
    put_event(slice_begin, track, begin, name, category, details);
    put_event(slice_end, track, end, {}, "", {});
  }

  void put_work(const TraceSlice& slice) {
    const Interval& v = timeline_.intervals[slice.record];
    put_slice(thread_tracks_[static_cast<std::size_t>(slice.thread)], slice.begin, slice.end, slice_name(timeline_, v),
              activity_category(v.activity), {.iteration = v.iteration});
  }

  void put_message(const TraceSlice& slice) {
    const Transfer& t = timeline_.transfers[slice.record];
    const bool sends = slice.kind == LaneKind::send;
    const std::string other = record_name(timeline_.rank_names, sends ? t.to : t.from, "rank");
    const std::string name =
        fmt::format("{} {} {}", record_name(timeline_.bucket_names, t.bucket, "bucket"), sends ? "to" : "from", other);
    const bool both =
        selected_.shown[static_cast<std::size_t>(t.from)] && selected_.shown[static_cast<std::size_t>(t.to)];
    put_slice(
        thread_tracks_[static_cast<std::size_t>(slice.thread)], slice.begin, slice.end, name,
        sends ? "send" : "receive",
        {.iteration = t.iteration, .flow = both ? static_cast<std::int64_t>(slice.record) : -1, .bytes = t.bytes});
  }

  void put_path() {
    if (selected_.path.empty()) return;
    const std::uint64_t track = put_track(0, "critical path");
    for (std::size_t i = 0; i < selected_.path.size(); ++i)
      put_slice(track, trace_nanoseconds(selected_.path[i].begin), trace_nanoseconds(selected_.path[i].end),
                selected_.path_names[i], "critical", {});
  }

  void put_links() {
    if (timeline_.links.empty()) return;
    const std::uint64_t links = put_track(0, "links");
    std::map<int, std::uint64_t> of_link;
    Protobuf percent;
    percent.text(counter_field::unit_name, "% of its bandwidth");
    for (const LinkMoment& moment : link_moments(timeline_)) {
      const auto [at, fresh] = of_link.try_emplace(moment.link, 0);
      if (fresh)
        at->second = put_track(links, record_name(timeline_.link_names, moment.link, "link"), nullptr, &percent);
      put_packet([&, track = at->second](Protobuf& packet) {
        Protobuf event;
        event.varint(event_field::type, counter);
        event.varint(event_field::track, track);
        event.number(event_field::counter_value, moment.percent);
        packet.varint(packet_field::timestamp, static_cast<std::uint64_t>(trace_nanoseconds(moment.time)));
        packet.message(packet_field::track_event, event);
      });
    }
  }

  const SelectedTimeline& selected_;
  const Timeline& timeline_;
  TraceLanes lanes_;
  ByteSink& out_;
  Protobuf packet_;
  bool first_ = true;
  std::uint64_t tracks_ = 0, about_ = 0;
  std::vector<std::uint64_t> thread_tracks_;
  std::map<std::string, std::uint64_t> names_;
};

} // namespace

void write_perfetto(const SelectedTimeline& selected, const std::string& scenario, ByteSink& out) {
  Packets(selected, out).write(scenario);
}

bool perfetto_opening(std::string_view bytes) {
  constexpr char packet_tag = trace_field::packet << 3 | 2;
  return bytes.starts_with(packet_tag) && bytes.substr(0, 24).find(about) != std::string_view::npos;
}

} // namespace gradflight
