// Perfetto's format, parsed by the rules of the wire format and the published field numbers.
#include "analysis/run/timelines/perfetto.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <set>

using namespace gradflight;

namespace {

struct WireField {
  std::uint64_t number = 0; ///< value of varint and fixed64
  std::string bytes{};      ///< value of fields with a length
};
using WireMessage = std::multimap<int, WireField>;

std::uint64_t wire_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    REQUIRE_FALSE(text.empty());
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
}

WireMessage decoded(std::string_view text) {
  WireMessage message;
  while (!text.empty()) {
    const std::uint64_t tag = wire_varint(text);
    WireField field;
    switch (tag & 7U) {
    case 0: field.number = wire_varint(text); break;
    case 1:
      REQUIRE(text.size() >= 8);
      std::memcpy(&field.number, text.data(), 8);
      text.remove_prefix(8);
      break;
    case 2: {
      const std::uint64_t length = wire_varint(text);
      REQUIRE(text.size() >= length);
      field.bytes = text.substr(0, length);
      text.remove_prefix(length);
      break;
    }
    default: FAIL("a wire type that is not written");
    }
    message.emplace(static_cast<int>(tag >> 3U), field);
  }
  return message;
}

std::uint64_t number(const WireMessage& message, int field) {
  const auto found = message.find(field);
  return found == message.end() ? 0 : found->second.number;
}
std::string bytes(const WireMessage& message, int field) {
  const auto found = message.find(field);
  return found == message.end() ? "" : found->second.bytes;
}

std::string perfetto_of(const Timeline& timeline, const TimelineSelection& wanted = {}) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  ByteSink sink(file.get());
  write_perfetto(select(timeline, wanted, perfetto_bytes_per_slice), "a scenario", sink);
  sink.finish();
  std::string text(static_cast<std::size_t>(std::ftell(file.get())), '\0');
  std::rewind(file.get());
  REQUIRE(std::fread(text.data(), 1, text.size(), file.get()) == text.size());
  return text;
}

Timeline ranks_of_two() {
  Timeline t;
  t.rank_names = {"rank 0", "rank 1"};
  t.layer_names = {"conv1"};
  t.bucket_names = {"g"};
  t.link_names = {"node0.up"};
  t.intervals = {{0, 0, Activity::forward, 0, 2, 0, 1e-3}, {1, 1, Activity::reduce, 0, 2, 5e-3, 6e-3}};
  t.transfers = {{0, 1, 1, 0, 2, 1e-3, 3.5e-3, 5e-3, 4e6, 1e-3}};
  t.links = {{0, 5e-3, -1e9}, {0, 3.5e-3, 1e9}};
  t.link_bandwidths = {1.25e9};
  t.marks = {{2e-3, "node0.up: bandwidth 5 Gbps"}};
  return t;
}

} // namespace

TEST_CASE("a trace for Perfetto has a track for each thread, and slices that end") {
  const WireMessage trace = decoded(perfetto_of(ranks_of_two()));
  std::map<std::uint64_t, std::string> tracks, names;
  std::map<std::uint64_t, std::uint64_t> parents, begun;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> slices; // track / name: begin, end
  std::map<std::uint64_t, std::string> open;
  std::multiset<std::uint64_t> flows;
  std::vector<double> percents;
  bool first = true;
  for (const auto& [field, packet_bytes] : trace) {
    REQUIRE(field == 1); // TracePacket
    const WireMessage packet = decoded(packet_bytes.bytes);
    CHECK(number(packet, 10) == 1);
    CHECK(number(packet, 13) == (first ? 3 : 2)); // SEQ_INCREMENTAL_STATE_CLEARED, SEQ_NEEDS_INCREMENTAL_STATE
    first = false;
    if (packet.count(60) > 0) {
      const WireMessage track = decoded(bytes(packet, 60));
      CHECK(tracks.emplace(number(track, 1), bytes(track, 2)).second);
      parents[number(track, 1)] = number(track, 5);
      if (number(track, 5) != 0) CHECK(tracks.count(number(track, 5)) == 1);
    }
    if (packet.count(12) > 0) {
      const WireMessage entry = decoded(bytes(decoded(bytes(packet, 12)), 2));
      CHECK(names.emplace(number(entry, 1), bytes(entry, 2)).second);
    }
    if (packet.count(11) == 0) continue;
    const WireMessage event = decoded(bytes(packet, 11));
    const std::uint64_t track = number(event, 11), at = number(packet, 8);
    REQUIRE(tracks.count(track) == 1);
    const std::string name = number(event, 10) > 0 ? names.at(number(event, 10)) : "";
    switch (number(event, 9)) {
    case 1: // TYPE_SLICE_BEGIN
      CHECK(open.emplace(track, tracks[track] + " / " + name).second);
      begun[track] = at;
      break;
    case 2: // TYPE_SLICE_END
      REQUIRE(open.count(track) == 1);
      slices[open[track]] = {begun[track], at};
      open.erase(track);
      break;
    case 3: CHECK(name == "node0.up: bandwidth 5 Gbps"); break;
    case 4: {
      double percent = 0;
      const std::uint64_t bits = number(event, 44);
      std::memcpy(&percent, &bits, 8);
      percents.push_back(percent);
      CHECK(tracks[track] == "node0.up");
      break;
    }
    default: FAIL("an event of another type");
    }
    if (event.count(47) > 0) flows.insert(number(event, 47));
  }
  CHECK(open.empty());
  CHECK(slices["compute / forward conv1"] == std::pair<std::uint64_t, std::uint64_t>(0, 1'000'000));
  CHECK(slices["comm0 send / g to rank 1"] == std::pair<std::uint64_t, std::uint64_t>(1'000'000, 5'000'000));
  CHECK(slices["comm0 receive / g from rank 0"] == std::pair<std::uint64_t, std::uint64_t>(3'500'000, 5'000'000));
  CHECK(slices["critical path / rank 1: reduce g"] == std::pair<std::uint64_t, std::uint64_t>(5'000'000, 6'000'000));
  CHECK(slices["critical path / rank 1: g from rank 0"] ==
        std::pair<std::uint64_t, std::uint64_t>(1'000'000, 5'000'000));
  CHECK(slices["critical path / rank 0: forward conv1"] == std::pair<std::uint64_t, std::uint64_t>(0, 1'000'000));
  CHECK(flows.size() == 2);
  CHECK(std::set(flows.begin(), flows.end()).size() == 1);
  CHECK(percents == std::vector<double>{80, 0});
}

TEST_CASE("flows have both ends, or are left out") {
  TimelineSelection one;
  one.ranks = {{0, 0}};
  const std::string text = perfetto_of(ranks_of_two(), one);
  CHECK(text.find("g to rank 1") != std::string::npos);
  CHECK(text.find("comm0 receive") == std::string::npos);
  for (const auto& [field, packet] : decoded(text))
    if (const WireMessage p = decoded(packet.bytes); p.count(11) > 0) CHECK(decoded(bytes(p, 11)).count(47) == 0);
}

TEST_CASE("a trace for Perfetto can be told from other files, and says what it leaves out") {
  const std::string text = perfetto_of(ranks_of_two());
  CHECK(perfetto_opening(text.substr(0, 64)));
  CHECK_FALSE(perfetto_opening("{\"otherData\""));
  CHECK_FALSE(perfetto_opening(""));
  CHECK(perfetto_of({}).find("gradflight: a scenario") != std::string::npos);
  TimelineSelection tiny;
  tiny.bytes = 4 * perfetto_bytes_per_slice;
  CHECK(perfetto_of(ranks_of_two(), tiny).find("left out for its size") != std::string::npos);
}
