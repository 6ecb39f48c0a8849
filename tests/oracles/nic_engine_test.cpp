#include "tests/oracles/nic_path.hpp"
#include "tests/support/inceptionn_reference.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <map>
#include <rapidcheck.h>
#include <stdexcept>

using namespace gradflight;

namespace {

constexpr ByteRate wire_rate(double value) { return ByteRate(value * 1e9 / 8); }

struct Run {
  NicReport report;
  std::map<std::uint32_t, std::vector<std::byte>> payloads;
  std::map<std::uint32_t, std::vector<std::size_t>> burst_sizes;
  std::vector<std::vector<float>> received;
};

Run run(const NicSpec& spec, ByteRate wire, const std::vector<NicMessage>& messages) {
  Run result;
  for (const NicMessage& message : messages) result.received.emplace_back(message.values.size(), -1.0F);
  const NicObserver observer{[&](std::uint32_t packet, std::span<const std::byte> bytes) {
                               auto& payload = result.payloads[packet];
                               payload.insert(payload.end(), bytes.begin(), bytes.end());
                               result.burst_sizes[packet].push_back(bytes.size());
                             },
                             [&](std::int32_t stream, std::int64_t begin, std::span<const float> values) {
                               std::copy(values.begin(), values.end(),
                                         result.received[static_cast<std::size_t>(stream)].begin() + begin);
                             }};
  result.report = simulate_nic_path(spec, wire, messages, reference::encode, reference::decode, observer);
  return result;
}

std::vector<std::uint32_t> bits(std::span<const float> values) {
  std::vector<std::uint32_t> all(values.size());
  std::memcpy(all.data(), values.data(), values.size_bytes());
  return all;
}

/// Returns a packet's values after the codec alone.
std::vector<float> round_trip(std::span<const float> values) {
  std::vector<float> out(values.size());
  for (std::size_t i = 0; i < values.size(); i += group_values) {
    const std::size_t lanes = std::min<std::size_t>(group_values, values.size() - i);
    std::array<std::byte, group_max_bytes> group{};
    const std::size_t size = reference::encode(values.subspan(i, lanes), group);
    reference::decode(std::span<const std::byte>(group).first(size), std::span(out).subspan(i, lanes));
  }
  return out;
}

void check_bytes(const NicSpec& spec, const std::vector<NicMessage>& messages, const Run& result) {
  const auto packets = interleaved_packets(spec, messages);
  RC_ASSERT(result.payloads.size() == packets.size());
  for (std::uint32_t p = 0; p < packets.size(); ++p) {
    const NicMessage& message = messages[static_cast<std::size_t>(packets[p].stream)];
    const auto values =
        message.values.subspan(static_cast<std::size_t>(packets[p].begin), static_cast<std::size_t>(packets[p].values));
    std::vector<std::byte> expected(values.size_bytes());
    std::memcpy(expected.data(), values.data(), values.size_bytes());
    if (message.tos == compressible_tos) expected = reference::encode_all(values);
    RC_ASSERT(result.payloads.at(p) == expected);
    // Bursts are aligned: all bursts except the last are full.
    const auto& sizes = result.burst_sizes.at(p);
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
      RC_ASSERT(sizes[i] == static_cast<std::size_t>(spec.burst_bytes()));
    const auto out = std::span(result.received[static_cast<std::size_t>(packets[p].stream)])
                         .subspan(static_cast<std::size_t>(packets[p].begin), values.size());
    const auto wanted =
        message.tos == compressible_tos ? round_trip(values) : std::vector<float>(values.begin(), values.end());
    RC_ASSERT(bits(out) == bits(wanted));
  }
}

/// Any bit pattern, with runs of each class.
std::vector<float> any_values(std::size_t count) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto mix = *rc::gen::element(reference::alexnet, reference::hdc, reference::half, reference::none);
  auto values = reference::draw(mix, count, seed);
  std::mt19937_64 random(seed);
  for (float& value : values)
    if (random() % 8 == 0) value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  return values;
}

} // namespace

TEST_CASE("the engines' bursts are the codec's bytes, and what arrives is what the codec decodes", "[models][nic]") {
  REQUIRE(rc::check("payload bursts and values, for any data, sizes, widths, engines and streams", [] {
    NicSpec spec;
    spec.width_bits = 256 * *rc::gen::inRange(1, 5);
    spec.engines = *rc::gen::inRange(1, 4);
    spec.compress_cycles = *rc::gen::inRange(1, 8);
    spec.mtu = *rc::gen::element(100, 576, 1500, 9000);
    spec.transmit_fifo_bursts = *rc::gen::element(400, 2048);
    spec.transmit_whole_packets = *rc::gen::arbitrary<bool>();
    std::vector<std::vector<float>> values;
    std::vector<NicMessage> messages;
    const int streams = *rc::gen::inRange(1, 4);
    for (int s = 0; s < streams; ++s) values.push_back(any_values(*rc::gen::inRange<std::size_t>(0, 3000)));
    for (const auto& v : values)
      messages.push_back({v, static_cast<std::uint8_t>(*rc::gen::element(0x28, 0x28, 0, 0x29))});
    const Run result = run(spec, wire_rate(*rc::gen::element(1.0, 10.0, 100.0)), messages);
    check_bytes(spec, messages, result);

    const NicReport& report = result.report;
    const std::int64_t all = report.cycles * spec.engines;
    for (const UnitUse& use :
         {report.compressor_input, report.compressor_output, report.decompressor_input, report.decompressor_output})
      RC_ASSERT(use.busy + use.stalled <= all);
    RC_ASSERT(report.compressor_output.busy == report.decompressor_input.busy); // no burst is lost
    RC_ASSERT(report.wire_busy_cycles <= static_cast<double>(report.cycles) + 1e-6);
  }));
}

TEST_CASE("special values pass the engines bit by bit", "[models][nic]") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {
      1.0F,     -1.0F,     infinity, -infinity,   std::numeric_limits<float>::quiet_NaN(),
      0x1p-10F, 0x1p-149F, -0.0F,    0.99999994F, 0x1p-5F};
  const Run result = run({}, wire_rate(10), {{values}});
  CHECK(bits(result.received[0]) == bits(round_trip(values)));
  CHECK(bits(std::span(result.received[0]).first(5)) == bits(std::span(values).first(5)));
  CHECK(result.report.payload_bytes == 2 + 5 * 4 + 1 + 2 + 2 + 2);
}

TEST_CASE("one packet's cycles, counted by hand", "[models][nic]") {
  NicSpec spec;
  spec.min_frame_bytes = 0;
  spec.framing_bytes = 0;
  const std::vector<float> values(16, 0.0F); // two groups with one tag word each
  // Headers enter in cycles 0 and 1, and groups in 2 and 3. The last group leaves the pipeline in cycle 8 (5 later) and
  // the queue in 9; the MAC takes it in 10. On a fast wire the packet is then complete, and the receiver starts it in
  // 11. It reads two header bursts in 11 and 12, and the only payload burst in 13; groups leave in 14 and 15. The
  // pipeline adds three cycles, and the report counts cycles from 0: 16 + 3.
  const NicReport report = run(spec, wire_rate(1e6), {{values}}).report;
  CHECK(report.cycles == 19);
  CHECK(report.payload_bytes == 4);
  CHECK(report.wire_bytes == 58);
  CHECK(report.compressor_input.busy == 4);
  CHECK(report.compressor_output.busy == 3);
  CHECK(report.decompressor_output.busy == 4);

  // Other ToS: the same bursts bypass the compression blocks, and are not buffered on the receiving side.
  const NicReport bypass = run(spec, wire_rate(1e6), {{values, 0}}).report;
  CHECK(bypass.cycles == 18);
  CHECK(bypass.payload_bytes == 64);
  CHECK(bypass.decompressor_input.busy == 4);
}

TEST_CASE("headers and packets do not shrink", "[models][nic]") {
  const auto values = reference::draw(reference::resnet50_loose, 36500);
  const NicReport compressed = run({}, wire_rate(10), {{values}}).report,
                  plain = run({}, wire_rate(10), {{values, 0}}).report;
  CHECK(plain.packets == 100);
  CHECK(compressed.packets == 100);
  CHECK(plain.wire_bytes == Approx(100 * 1538));
  CHECK(compressed.wire_bytes == Approx(static_cast<double>(compressed.payload_bytes) + 100 * 78));
  CHECK(static_cast<double>(plain.payload_bytes) / static_cast<double>(compressed.payload_bytes) > 14);
  CHECK(plain.wire_bytes / compressed.wire_bytes < 9);
}

TEST_CASE("272-bit results stall the compressor, one cycle in 17", "[models][nic]") {
  NicSpec spec;
  spec.mtu = 1480; // payload 1440: 45 whole groups, 47.8 bursts
  const auto values = reference::draw(reference::none, 360 * 400);
  const NicReport report = run(spec, wire_rate(1000), {{values}}).report;
  CHECK(report.payload_bytes == 400 * 45 * 34);
  CHECK(report.oversized_packets == 400);
  CHECK(report.compressor_output.busy == 400 * (2 + 48));
  // For each packet, three more bursts leave than enter.
  CHECK(static_cast<double>(report.compressor_input.stalled) == Approx(400 * 3).epsilon(0.01));

  // Values below the bound never stall the engine if the wire is fast enough.
  const NicReport zeros = run(spec, wire_rate(1000), {{std::vector<float>(36000, 0.0F)}}).report;
  CHECK(zeros.compressor_input.stalled == 0);
}

TEST_CASE("a full transmit FIFO holds the engine up, and nothing is lost", "[models][nic]") {
  NicSpec spec;
  spec.transmit_fifo_bursts = 60;
  const auto values = reference::draw(reference::half, 20000);
  const Run result = run(spec, wire_rate(1), {{values}});
  CHECK(result.report.transmit_fifo_peak == 60);
  CHECK(result.report.compressor_input.stalled > result.report.cycles / 2);
  CHECK(result.report.wire_busy_cycles > 0.99 * static_cast<double>(result.report.cycles - 60));
  CHECK(result.report.underrun_cycles == 0);
  check_bytes(spec, {{values}}, result);
}

TEST_CASE("264 bits left and a group of 272: the tag is kept and the buffer fills", "[models][nic]") {
  // According to the text, the Burst Buffer of 512 bits would neither decode nor read. Groups of 34 bytes and one of 3
  // bytes lead to this offset.
  NicSpec spec;
  for (std::size_t small = 0; small < 40; ++small) {
    auto values = reference::draw(reference::none, 360, small);
    for (std::size_t lane = 0; lane < 7; ++lane) values[8 * small + lane] = 0;
    const Run result = run(spec, wire_rate(40), {{values}});
    CHECK(bits(result.received[0]) == bits(round_trip(values)));
  }
}

TEST_CASE("a MAC that waits for whole packets never runs dry", "[models][nic]") {
  NicSpec spec;
  const auto values = reference::draw(reference::hdc, 36500);
  const NicReport through = run(spec, wire_rate(10), {{values}}).report;
  spec.transmit_whole_packets = true;
  const NicReport whole = run(spec, wire_rate(10), {{values}}).report;
  CHECK(through.underrun_cycles > 100);
  CHECK(whole.underrun_cycles == 0);
  CHECK(whole.cycles > through.cycles);
  CHECK(whole.cycles < through.cycles + 48);
}

TEST_CASE("packets of streams take turns", "[models][nic]") {
  const std::vector<float> a(800), b(365);
  const std::vector<NicMessage> messages = {{a}, {b}, {{}}};
  const auto packets = interleaved_packets({}, messages);
  REQUIRE(packets.size() == 4);
  CHECK((packets[0].stream == 0 && packets[0].values == 365));
  CHECK((packets[1].stream == 1 && packets[1].values == 365));
  CHECK((packets[2].stream == 0 && packets[2].begin == 365));
  CHECK((packets[3].stream == 0 && packets[3].values == 70));
}

TEST_CASE("messages of several NICs arrive whole, over one wire", "[models][nic]") {
  const auto a = reference::draw(reference::hdc, 3650, 1), b = reference::draw(reference::none, 730, 2);
  const std::vector<NicMessage> messages = {{a}, {b, 0}, {{}}};
  std::vector<std::vector<float>> received = {std::vector<float>(a.size()), std::vector<float>(b.size())};
  const NicObserver observer{{}, [&](std::int32_t stream, std::int64_t begin, std::span<const float> values) {
                               std::copy(values.begin(), values.end(),
                                         received[static_cast<std::size_t>(stream)].begin() + begin);
                             }};
  const NicReport report =
      simulate_nic_path({}, wire_rate(1), messages, reference::encode, reference::decode, observer, Senders::one_each);
  CHECK(bits(received[1]) == bits(b));
  CHECK(report.packets == 12);
  for (std::size_t packet = 0; packet < 10; ++packet)
    CHECK(bits(std::span(received[0]).subspan(365 * packet, 365)) ==
          bits(round_trip(std::span(a).subspan(365 * packet, 365))));
  CHECK(report.time.value() >= report.wire_bytes / wire_rate(1).value());
  CHECK(report.time.value() <
        report.wire_bytes / wire_rate(1).value() + 1.6e-5); // plus one packet's time to the switch
}

TEST_CASE("a NIC that cannot be built is refused", "[models][nic]") {
  const auto with = [](auto change) {
    NicSpec spec;
    change(spec);
    return spec;
  };
  CHECK_NOTHROW(check(NicSpec{}));
  CHECK_THROWS_AS(check(with([](NicSpec& s) { s.width_bits = 128; })), std::invalid_argument);
  CHECK_THROWS_AS(check(with([](NicSpec& s) { s.width_bits = 2048; })), std::invalid_argument);
  CHECK_THROWS_AS(check(with([](NicSpec& s) { s.clock_hz = 0; })), std::invalid_argument);
  CHECK_THROWS_AS(check(with([](NicSpec& s) { s.engines = 0; })), std::invalid_argument);
  CHECK_THROWS_AS(check(with([](NicSpec& s) { s.mtu = 43; })), std::invalid_argument);
  CHECK_THROWS_AS(check(with([](NicSpec& s) { s.transmit_fifo_bursts = 50; })), std::invalid_argument);
  CHECK_THROWS_AS(run({}, wire_rate(0), {}), std::invalid_argument);
  CHECK(run({}, wire_rate(10), {}).report.cycles == 0);
}
