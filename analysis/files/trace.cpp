#include "analysis/files/trace.hpp"

#include "analysis/files/trace_lanes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace gradflight {
namespace {

std::string json_quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string name_at(const std::vector<std::string>& names, int index, const char* what) {
  if (index >= 0 && static_cast<std::size_t>(index) < names.size()) return names[static_cast<std::size_t>(index)];
  return fmt::format("{} {}", what, index);
}

/// Nanoseconds as the format's microseconds.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

class Writer {
public:
  Writer(const Timeline& timeline, std::FILE* out) : timeline_(timeline), lanes_(assign_lanes(timeline)), out_(out) {}

  void write(const std::string& scenario) {
    text(fmt::format("{},\"scenario\":{},\"truncated\":{}}},\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n",
                     trace_opening, json_quoted(scenario), timeline_.truncated));
    put_names();
    for (const TraceSlice& slice : lanes_.slices) slice.kind == LaneKind::work ? put_work(slice) : put_message(slice);
    put_links();
    put_marks();
    text("\n]}\n");
  }

private:
  void text(const std::string& text) { std::fwrite(text.data(), 1, text.size(), out_); }

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
    // Beyond every rank, those included of which the bound kept nothing.
    links_pid_ = static_cast<int>(timeline_.rank_names.size());
    if (!ranks.empty()) links_pid_ = std::max(links_pid_, *ranks.rbegin() + 1);
    if (timeline_.links.empty()) return;
    put_metadata("process_name", links_pid_, 0, R"("name":"links")");
    put_metadata("process_sort_index", links_pid_, 0, fmt::format("\"sort_index\":{}", links_pid_));
  }

  void put_slice(const TraceSlice& slice, const std::string& name, const char* category, const std::string& args) {
    put(fmt::format(R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                    json_quoted(name), category, slice.rank, slice.thread + 1, microseconds(slice.begin),
                    microseconds(slice.end - slice.begin), args));
  }

  void put_work(const TraceSlice& slice) {
    const Interval& v = timeline_.intervals[slice.record];
    const auto [name, category] = describe(v);
    put_slice(slice, name, category, fmt::format("\"iteration\":{}", v.iteration));
  }

  [[nodiscard]] std::pair<std::string, const char*> describe(const Interval& v) const {
    switch (v.activity) {
    case Activity::forward: return {"forward " + name_at(timeline_.layer_names, v.label, "layer"), "forward"};
    case Activity::backward: return {"backward " + name_at(timeline_.layer_names, v.label, "layer"), "backward"};
    case Activity::update: return {"update", "update"};
    case Activity::reduce: return {"reduce " + bucket(v.label), "reduce"};
    case Activity::merge: return {"merge " + bucket(v.label), "merge"};
    case Activity::encode: return {"encode " + bucket(v.label), "codec"};
    case Activity::decode: return {"decode " + bucket(v.label), "codec"};
    case Activity::cost: return {name_at(timeline_.cost_names, v.label, "cost"), "cost"};
    }
    return {"?", "?"};
  }

  void put_message(const TraceSlice& slice) {
    const Transfer& t = timeline_.transfers[slice.record];
    const bool sends = slice.kind == LaneKind::send;
    put_slice(slice, fmt::format("{} {} {}", bucket(t.bucket), sends ? "to" : "from", rank(sends ? t.to : t.from)),
              sends ? "send" : "receive",
              fmt::format("\"iteration\":{},\"bytes\":{},\"waited_us\":{}", t.iteration, t.bytes,
                          microseconds(trace_nanoseconds(t.begin) - trace_nanoseconds(t.posted))));
    put(fmt::format(R"({{"ph":"{}","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{}{}}})",
                    sends ? "s" : "f", slice.record, slice.rank, slice.thread + 1, microseconds(slice.begin),
                    sends ? "" : R"(,"bp":"e")"));
  }

  /// A counter event for each moment at which a link's utilisation changes.
  void put_links() {
    std::vector<LinkChange> changes = timeline_.links;
    std::stable_sort(changes.begin(), changes.end(), [](const LinkChange& a, const LinkChange& b) {
      return a.link != b.link ? a.link < b.link : a.time < b.time;
    });
    double rate = 0;
    int transfers = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const LinkChange& change = changes[i];
      if (i > 0 && changes[i - 1].link != change.link) rate = 0;
      rate += change.rate;
      transfers += change.rate > 0 ? 1 : -1;
      if (transfers == 0) rate = 0; // not what rounding has left of it
      const bool same_moment =
          i + 1 < changes.size() && changes[i + 1].link == change.link && changes[i + 1].time == change.time;
      if (same_moment) continue;
      put(fmt::format(R"({{"ph":"C","name":{},"pid":{},"tid":0,"ts":{},"args":{{"utilisation_percent":{:.6g}}}}})",
                      json_quoted(name_at(timeline_.link_names, change.link, "link")), links_pid_,
                      microseconds(trace_nanoseconds(change.time)),
                      100 * rate / timeline_.link_bandwidths.at(static_cast<std::size_t>(change.link))));
    }
  }

  void put_marks() {
    for (const TimelineMark& mark : timeline_.marks)
      put(fmt::format(R"({{"ph":"i","s":"g","name":{},"cat":"change","pid":{},"tid":0,"ts":{}}})",
                      json_quoted(mark.text), links_pid_, microseconds(trace_nanoseconds(mark.time))));
  }

  [[nodiscard]] std::string rank(int r) const { return name_at(timeline_.rank_names, r, "rank"); }
  [[nodiscard]] std::string bucket(int b) const { return name_at(timeline_.bucket_names, b, "bucket"); }

  const Timeline& timeline_;
  TraceLanes lanes_;
  std::FILE* out_;
  int links_pid_ = 0;
  bool first_ = true;
};

} // namespace

void write_trace(const Timeline& timeline, const std::string& scenario, std::FILE* out) {
  Writer(timeline, out).write(scenario);
}

} // namespace gradflight
