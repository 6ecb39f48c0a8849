#include "analysis/run/timelines/trace.hpp"
#include "analysis/run/timelines/trace_lanes.hpp"
#include "base/other_file.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;
using nlohmann::json;

namespace {

/// Returns the text through a real file, as the command line writes it.
std::string written_text(const Timeline& timeline) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  ByteSink sink(file.get());
  write_trace(select(timeline, {}, trace_bytes_per_slice), "a \"quoted\" name", sink);
  sink.finish();
  std::string text(static_cast<std::size_t>(std::ftell(file.get())), '\0');
  std::rewind(file.get());
  REQUIRE(std::fread(text.data(), 1, text.size(), file.get()) == text.size());
  return text;
}

json written(const Timeline& timeline) { return json::parse(written_text(timeline)); }

Timeline two_ranks() {
  Timeline t;
  t.rank_names = {"rank 0", "rank 1"};
  t.layer_names = {"conv\"1\""};
  t.bucket_names = {"g"};
  t.link_names = {"node0.up"};
  t.intervals = {{0, 0, Activity::forward, 0, 0, 0, 1e-3},
                 {0, 0, Activity::backward, 0, 0, 1e-3, 3e-3},
                 {1, 1, Activity::reduce, 0, 0, 5e-3, 6e-3}};
  t.transfers = {{0, 1, 1, 0, 0, 3e-3, 3.5e-3, 5e-3, 4e6}};
  t.links = {{0, 5e-3, -1e9}, {0, 3.5e-3, 1e9}};
  t.link_bandwidths = {1.25e9};
  return t;
}

/// Conditions that every trace must meet, so that Perfetto displays it correctly.
void check_invariants(const json& trace, std::size_t transfers) {
  std::set<std::pair<int, int>> named;
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> slices;
  std::map<int, std::pair<int, int>> flows;
  std::map<int, double> sent_at;
  for (const json& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    const std::pair thread(event["pid"].get<int>(), event["tid"].get<int>());
    if (phase == "M") {
      if (event["name"] == "thread_name") RC_ASSERT(named.insert(thread).second);
      continue;
    }
    const double ts = event["ts"];
    if (phase == "X") {
      RC_ASSERT(event["dur"].get<double>() >= 0);
      RC_ASSERT(named.count(thread) == 1u);
      slices[thread].emplace_back(ts, ts + event["dur"].get<double>());
    } else if (phase == "s" || phase == "f") {
      auto& [starts, ends] = flows[event["id"].get<int>()];
      ++(phase == "s" ? starts : ends);
      if (phase == "s") sent_at[event["id"].get<int>()] = ts;
      RC_ASSERT(!slices[thread].empty()); // bound to the previous slice
      RC_ASSERT(slices[thread].back().first == ts);
    }
  }
  RC_ASSERT(flows.size() == transfers);
  for (const auto& [id, ends] : flows) RC_ASSERT((ends == std::pair(1, 1)));
  for (auto& [thread, list] : slices)
    for (std::size_t i = 1; i < list.size(); ++i) RC_ASSERT(list[i].first >= list[i - 1].second - 1e-6);
}

} // namespace

TEST_CASE("a trace names ranks, threads, layers, buckets and links") {
  const json trace = written(two_ranks());
  CHECK(trace["otherData"]["scenario"] == "a \"quoted\" name");
  CHECK(trace["otherData"]["truncated"] == false);
  std::multiset<std::string> names;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["args"].contains("name")) names.insert(event["args"]["name"]);
    if ((event["ph"] == "X" && event["cat"] != "critical") || event["ph"] == "C") names.insert(event["name"]);
  }
  for (const char* wanted :
       {"rank 0", "rank 1", "links", "critical path", "compute", "comm0", "comm0 send", "comm0 receive",
        "forward conv\"1\"", "backward conv\"1\"", "reduce g", "g to rank 1", "g from rank 0"})
    CHECK(names.count(wanted) == 1);
  CHECK(names.count("node0.up") == 2);
  std::vector<double> utilisation;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "C") utilisation.push_back(event["args"]["utilisation_percent"]);
  CHECK(utilisation == std::vector<double>{80, 0});
}

TEST_CASE("times are microseconds") {
  const json trace = written(two_ranks());
  const auto& events = trace["traceEvents"];
  const auto send =
      std::find_if(events.begin(), events.end(), [](const json& e) { return e.value("cat", "") == "send"; });
  REQUIRE(send != events.end());
  CHECK((*send)["ts"] == 3000.0);
  CHECK((*send)["dur"] == 2000.0);
  CHECK((*send)["args"]["bytes"] == 4e6);
  CHECK((*send)["args"]["waited_us"] == 500.0);
}

TEST_CASE("a cut timeline says so") {
  Timeline t = two_ranks();
  t.truncated = true;
  CHECK(written(t)["otherData"]["truncated"] == true);
}

TEST_CASE("a trace begins so that it can be told from other files") {
  CHECK(written_text(two_ranks()).starts_with(timeline_opening));
}

TEST_CASE("an empty timeline is a valid trace") { CHECK(written({})["traceEvents"].empty()); }

TEST_CASE("what overlaps on a stream gets lanes, as few as overlap at once") {
  Timeline t;
  for (int from = 1; from <= 3; ++from) t.transfers.push_back({from, 0, 1, 0, 0, 0, 0, 1e-3 * from, 8});
  t.transfers.push_back({1, 0, 1, 0, 0, 1e-3, 1e-3, 2e-3, 8}); // fits after the first
  const TraceLanes lanes = assign_lanes(t);
  const auto receive = std::count_if(lanes.threads.begin(), lanes.threads.end(),
                                     [](const TraceThread& thread) { return thread.kind == LaneKind::receive; });
  CHECK(receive == 3);
  CHECK(lanes.threads[2].name() == "comm0 receive 3");
}

TEST_CASE("any timeline gives threads without overlap and flows that match") {
  REQUIRE(rc::check("trace invariants", [] {
    Timeline t;
    const int records = *rc::gen::inRange(0, 40);
    for (int i = 0; i < records; ++i) {
      const double begin = *rc::gen::inRange(0, 100) * 1e-4 / 3, length = *rc::gen::inRange(0, 30) * 1e-4 / 7;
      const int rank = *rc::gen::inRange(0, 3), other = *rc::gen::inRange(0, 3), stream = *rc::gen::inRange(0, 3);
      if (*rc::gen::inRange(0, 2) == 0)
        t.intervals.push_back({rank, stream, Activity::update, 0, 0, begin, begin + length});
      else
        t.transfers.push_back({rank, other, stream + 1, 0, 0, begin, begin + length / 2, begin + length, 1});
    }
    check_invariants(written(t), t.transfers.size());
  }));
}
