#include "analysis/run/timelines/trace.hpp"

#include "analysis/run/timelines/trace_counters.hpp"
#include "analysis/run/timelines/trace_lanes.hpp"
#include "base/other_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace gradflight {
namespace {

std::string json_quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Converts nanoseconds to the format's microseconds.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

class Writer {
public:
  Writer(const SelectedTimeline& selected, ByteSink& out)
      : selected_(selected), timeline_(selected.timeline), lanes_(assign_lanes(timeline_, selected.shown)), out_(out) {}

  void write(const std::string& scenario) {
    text(fmt::format(
        "{},\"scenario\":{},\"truncated\":{},\"left_out\":{}}},\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n",
        timeline_opening, json_quoted(scenario), timeline_.truncated, json_quoted(left_out_text(selected_))));
    put_names();
    for (const TraceSlice& slice : lanes_.slices) slice.kind == LaneKind::work ? put_work(slice) : put_message(slice);
    put_links();
    put_path();
    put_marks();
    text("\n]}\n");
  }

private:
  void text(const std::string& text) { out_.write(text); }

  void put(const std::string& event) {
    text((first_ ? "" : ",\n") + event);
    first_ = false;
  }

  void put_metadata(const char* what, int pid, int tid, const std::string& args) {
    put(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{{}}}}})", what, pid, tid, args));
  }

  void put_names() {
    std::set<int> ranks;
    for (std::size_t i = 0; i < lanes_.threads.size(); ++i) {
      const TraceThread& thread = lanes_.threads[i];
      if (ranks.insert(thread.rank).second) {
        put_metadata("process_name", thread.rank, 0, "\"name\":" + json_quoted(rank(thread.rank)));
        put_metadata("process_sort_index", thread.rank, 0, fmt::format("\"sort_index\":{}", thread.rank));
      }
      const int tid = static_cast<int>(i) + 1;
      put_metadata("thread_name", thread.rank, tid, "\"name\":" + json_quoted(thread.name()));
      put_metadata("thread_sort_index", thread.rank, tid, fmt::format("\"sort_index\":{}", tid));
    }
    // After all ranks, including those that the size limit removed.
    links_pid_ = static_cast<int>(timeline_.rank_names.size());
    if (!ranks.empty()) links_pid_ = std::max(links_pid_, *ranks.rbegin() + 1);
    if (!timeline_.links.empty()) put_process(links_pid_, "links", links_pid_);
    if (selected_.path.empty()) return;
    put_process(links_pid_ + 1, "critical path", -1);
    put_metadata("thread_name", links_pid_ + 1, 1, R"("name":"what the end waited for")");
  }

  void put_process(int pid, const char* name, int order) {
    put_metadata("process_name", pid, 0, fmt::format("\"name\":\"{}\"", name));
    put_metadata("process_sort_index", pid, 0, fmt::format("\"sort_index\":{}", order));
  }

  void put_slice(const TraceSlice& slice, const std::string& name, const char* category, const std::string& args) {
    put(fmt::format(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                    json_quoted(name), category, slice.rank, slice.thread + 1, microseconds(slice.begin),
                    microseconds(slice.end - slice.begin), args));
  }

  void put_work(const TraceSlice& slice) {
    const Interval& v = timeline_.intervals[slice.record];
    put_slice(slice, slice_name(timeline_, v), activity_category(v.activity),
              fmt::format("\"iteration\":{}", v.iteration));
  }

  void put_message(const TraceSlice& slice) {
    const Transfer& t = timeline_.transfers[slice.record];
    const bool sends = slice.kind == LaneKind::send;
    put_slice(slice, fmt::format("{} {} {}", bucket(t.bucket), sends ? "to" : "from", rank(sends ? t.to : t.from)),
              sends ? "send" : "receive",
              fmt::format("\"iteration\":{},\"bytes\":{},\"waited_us\":{}", t.iteration, t.bytes,
                          microseconds(trace_nanoseconds(t.begin) - trace_nanoseconds(t.posted))));
    if (!selected_.shown[static_cast<std::size_t>(t.from)] || !selected_.shown[static_cast<std::size_t>(t.to)]) return;
    put(fmt::format(R"({{"ph":"{}","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{}{}}})",
                    sends ? "s" : "f", slice.record, slice.rank, slice.thread + 1, microseconds(slice.begin),
                    sends ? "" : R"(,"bp":"e")"));
  }

  /// Adds a counter event for each moment.
  void put_links() {
    for (const LinkMoment& moment : link_moments(timeline_))
      put(fmt::format(R"({{"ph":"C","name":{},"pid":{},"tid":0,"ts":{},"args":{{"utilisation_percent":{:.6g}}}}})",
                      json_quoted(record_name(timeline_.link_names, moment.link, "link")), links_pid_,
                      microseconds(trace_nanoseconds(moment.time)), moment.percent));
  }

  void put_path() {
    for (std::size_t i = 0; i < selected_.path.size(); ++i) {
      const CriticalStep& step = selected_.path[i];
      const std::int64_t begin = trace_nanoseconds(step.begin);
      put(fmt::format(
          R"({{"ph":"X","name":{},"cat":"critical","pid":{},"tid":1,"ts":{},"dur":{},"args":{{"rank":{}}}}})",
          json_quoted(selected_.path_names[i]), links_pid_ + 1, microseconds(begin),
          microseconds(trace_nanoseconds(step.end) - begin), step.rank));
    }
  }

  void put_marks() {
    for (const TimelineMark& mark : timeline_.marks)
      put(fmt::format(R"({{"ph":"i","s":"g","name":{},"cat":"change","pid":{},"tid":0,"ts":{}}})",
                      json_quoted(mark.text), links_pid_, microseconds(trace_nanoseconds(mark.time))));
  }

  [[nodiscard]] std::string rank(int r) const { return record_name(timeline_.rank_names, r, "rank"); }
  [[nodiscard]] std::string bucket(int b) const { return record_name(timeline_.bucket_names, b, "bucket"); }

  const SelectedTimeline& selected_;
  const Timeline& timeline_;
  TraceLanes lanes_;
  ByteSink& out_;
  int links_pid_ = 0;
  bool first_ = true;
};

} // namespace

void write_trace(const SelectedTimeline& selected, const std::string& scenario, ByteSink& out) {
  Writer(selected, out).write(scenario);
}

} // namespace gradflight
