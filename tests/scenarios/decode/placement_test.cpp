// The placement of a codec: reading, explicit defaults, and mistakes of users.
#include "scenarios/language/decode/canonical.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <rapidcheck.h>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

std::vector<std::string> compressed(const std::string& more, const std::string& further = "training.iterations=1") {
  return {"training.compression={\"ratio\":4" + more + "}", further};
}

const CompressionSpec& compression(const Scenario& s) { return s.phases.back().training.compression; }

} // namespace

TEST_CASE("a codec in the NIC brings INCEPTIONN's NIC along, unless the platform has one") {
  const Scenario plain = with(compressed(""));
  CHECK_FALSE(plain.platform.nic);
  const Scenario in_nic = with(compressed(",\"placement\":\"nic\""));
  REQUIRE(in_nic.platform.nic);
  CHECK(in_nic.platform.nic->clock_hz == 100e6);
  CHECK_THAT(canonical_json(in_nic), Contains("\"clock_mhz\"") && Contains("\"framing_bytes\""));
  const Scenario own = with(compressed(
      ",\"placement\":\"nic\"", R"(platform.nic={"clock_mhz":156.25,"width_bits":512,"engines":2,"mtu_bytes":9000})"));
  CHECK(own.platform.nic->clock_hz == 156.25e6);
  CHECK(own.platform.nic->width_bits == 512);
  CHECK(own.platform.nic->engines == 2);
  CHECK(own.platform.nic->mtu == 9000);
  CHECK(scenario_id(own) != scenario_id(in_nic));
}

TEST_CASE("a scenario written back is the same, placement and NIC included") {
  const Scenario s = with(compressed(R"(,"placement":"gpu","encode_bandwidth":"20GB/s")",
                                     R"(platform.nic={"transmit_whole_packets":true})"));
  const Scenario again = parse_scenario(canonical_json(s), "s.json");
  CHECK(canonical_json(again) == canonical_json(s));
  CHECK(compression(again).placement == CodecPlacement::gpu);
  CHECK(compression(again).encode_bandwidth->value() == 20e9);
  CHECK_FALSE(compression(again).decode_bandwidth);
}

TEST_CASE("any NIC and any rate loads again to the same bits", "[property]") {
  REQUIRE(rc::check("clock, width, engines, packets, rates", [] {
    const auto number = [] { return *rc::gen::inRange(1, 1'000'000'000) / 7e5; };
    const std::string nic = fmt::format(
        R"({{"clock_mhz":{},"width_bits":{},"engines":{},"mtu_bytes":{},"framing_bytes":{},"transmit_whole_packets":{}}})",
        number(), *rc::gen::element(256, 512, 768, 1024), *rc::gen::inRange(1, 9), *rc::gen::inRange(60, 9'600),
        *rc::gen::inRange(0, 100), *rc::gen::arbitrary<bool>());
    const bool in_nic = *rc::gen::arbitrary<bool>();
    const Scenario s = with(compressed(
        in_nic ? ",\"placement\":\"nic\"" : fmt::format(R"(,"placement":"cpu","encode_bandwidth":"{}MB/s")", number()),
        "platform.nic=" + nic));
    const Scenario again = parse_scenario(canonical_json(s), "s.json");
    RC_ASSERT(canonical_json(again) == canonical_json(s));
    RC_ASSERT(scenario_id(again) == scenario_id(s));
    RC_ASSERT(again.platform.nic->clock_hz == s.platform.nic->clock_hz);
    RC_ASSERT(again.platform.nic->mtu == s.platform.nic->mtu);
    RC_ASSERT(compression(again).encode_bandwidth == compression(s).encode_bandwidth);
    RC_ASSERT(compression(again).placement == compression(s).placement);
  }));
}

TEST_CASE("mistakes about a codec's place are told where they stand") {
  const auto error = [](const std::string& more, const std::string& further = "training.iterations=1") {
    return errors_with(compressed(more, further));
  };
  CHECK(error(",\"placement\":\"nic\"").empty());
  CHECK_THAT(error(",\"placement\":\"fpga\""),
             Contains("/training/compression/placement: \"fpga\" is not a placement") && Contains("nic, gpu, cpu"));
  CHECK_THAT(error(",\"placement\":\"nic\",\"encode_bandwidth\":\"1GB/s\""),
             Contains("\"encode_bandwidth\" has no effect here: it needs placement gpu or cpu"));
  CHECK_THAT(error(",\"decode_bandwidth\":\"1GB/s\""), Contains("it needs placement gpu or cpu"));
  CHECK_THAT(error(",\"placement\":\"cpu\",\"encode_bandwidth\":\"0GB/s\""),
             Contains("/training/compression/encode_bandwidth: "));
  CHECK_THAT(error(",\"legs\":[]"), Contains("/training/compression/legs: an empty list needs placement"));
  CHECK(error(",\"legs\":[],\"placement\":\"nic\"").empty());
  CHECK_THAT(error(",\"legs\":[\"push\"],\"placement\":\"nic\""),
             Contains("only algorithm parameter_server or sharded can compress"));
  CHECK_THAT(errors_with({R"(training.compression={"ratio":17,"placement":"nic"})"}),
             Contains("/training/compression/ratio: ") && Contains("a ratio from 0.9412 to 16"));
  CHECK(errors_with({R"(training.compression={"ratio":17,"placement":"gpu"})"}).empty());
  CHECK_THAT(error(",\"placement\":\"nic\"", "engine=simgrid"),
             Contains("/training/compression/placement: placement \"nic\" needs engine \"hybrid\""));
  CHECK(error(",\"placement\":\"cpu\"", "engine=simgrid").empty());
  CHECK_THAT(error(",\"placement\":\"gpu\"", R"(training.exchange={"algorithm":"gtopk","density":0.01})"),
             Contains("top-k exchanges use no codec"));
}

TEST_CASE("a NIC that cannot be built is refused") {
  const auto error = [](const std::string& nic) {
    return errors_with(compressed(",\"placement\":\"nic\"", "platform.nic=" + nic));
  };
  CHECK(error("{}").empty());
  CHECK_THAT(error(R"({"width_bits":300})"),
             Contains("/platform/nic: this NIC cannot be built: width_bits is 300; expected a multiple"));
  CHECK_THAT(error(R"({"clock_mhz":0})"), Contains("/platform/nic/clock_mhz: "));
  CHECK_THAT(error(R"({"engines":0,"mtu_bytes":20})"),
             Contains("/platform/nic/engines: ") && Contains("/platform/nic/mtu_bytes: "));
  CHECK_THAT(error(R"({"mtu_bytes":60,"ip_tcp_bytes":58})"),
             Contains("mtu_bytes is 60; expected at least ip_tcp_bytes and 4 bytes"));
  CHECK_THAT(error(R"({"clock":"100MHz"})"), Contains("unknown key \"clock\". Allowed: width_bits, clock_mhz"));
}

TEST_CASE("real tensors in the NIC go through INCEPTIONN's format or as they are") {
  const std::string tensors = GF_SOURCE_DIR "/workloads/captured/small-cnn";
  const std::string workload = "workload=" + tensors + "/workload.json";
  const auto error = [&](const std::string& more) {
    return errors_with({"training.compression={\"tensors\":\"" + tensors + "\"" + more + "}", workload});
  };
  CHECK(error(R"(,"codec":"inceptionn","placement":"nic")").empty());
  CHECK(error(R"(,"placement":"nic")").empty());
  CHECK_THAT(
      error(R"(,"codec":"fp16","placement":"nic")"),
      Contains(
          "/training/compression/placement: the compressor of a NIC supports only codec \"inceptionn\", not fp16"));
  CHECK(error(R"(,"codec":"fp16","placement":"gpu")").empty());
  CHECK_THAT(error(R"(,"placement":"gpu")"), Contains("a placement needs a codec"));
}
