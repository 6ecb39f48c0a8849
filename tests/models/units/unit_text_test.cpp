#include "models/units/unit_text.hpp"

#include "models/units/benchmark_size.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <regex>

using namespace gradflight;

namespace {

constexpr Dimension all_dimensions[] = {Dimension::time,  Dimension::bytes,     Dimension::byte_rate,
                                        Dimension::flops, Dimension::flop_rate, Dimension::time_per_byte};

std::string error_of(std::string_view text, Dimension dimension) {
  try {
    parse_quantity(text, dimension);
  } catch (const UnitError& error) {
    return error.what();
  }
  return "accepted";
}

bool refused(std::string_view text, Dimension dimension) { return error_of(text, dimension) != "accepted"; }

/// Returns any finite double that is not negative, with equally likely exponents.
double any_quantity() {
  auto bits = *rc::gen::arbitrary<std::uint64_t>() & ~(std::uint64_t{1} << 63U);
  auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  return value;
}

/// Returns a typical value: few digits, and a usual magnitude.
double usual_quantity() {
  const auto digits = *rc::gen::inRange(0, 100'000);
  const auto exponent = *rc::gen::inRange(-14, 14);
  return parse_quantity(std::to_string(digits) + "e" + std::to_string(exponent) + "s", Dimension::time);
}

} // namespace

TEST_CASE("quantities are read in base units") {
  CHECK(parse<Seconds>("5us").value() == 5e-6);
  CHECK(parse<Seconds>("5 us").value() == 5e-6);
  CHECK(parse<Seconds>("0s").value() == 0);
  CHECK(parse<Seconds>("0.436ms").value() == 0.436e-3);
  CHECK(parse<Seconds>("1.5e-3ms").value() == 1.5e-6);
  CHECK(parse<Seconds>("2min").value() == 120);
  CHECK(parse<Seconds>("1.5h").value() == 5400);
  CHECK(parse<Bytes>("100MB").value() == 1e8);
  CHECK(parse<Bytes>("25MiB").value() == 26214400);
  CHECK(parse<Bytes>("1TiB").value() == 1099511627776.0);
  CHECK(parse<ByteRate>("10Gbps").value() == 1.25e9);
  CHECK(parse<ByteRate>("8bit/s").value() == 1);
  CHECK(parse<ByteRate>("1.2GB/s").value() == 1.2e9);
  CHECK(parse<ByteRate>("1KiB/s").value() == 1024);
  CHECK(parse<Flops>("3.2GFLOP").value() == 3.2e9);
  CHECK(parse<FlopRate>("6TFLOP/s").value() == 6e12);
  CHECK(parse<SecondsPerByte>("9e-6ms/B").value() == 9e-9);
  CHECK(parse<SecondsPerByte>("0.5ns/B").value() == 0.5e-9);
}

TEST_CASE("every unit is the power it says") {
  struct Prefix {
    const char* name;
    double factor;
  };
  for (const auto& [name, factor] : {Prefix{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}) {
    CHECK(parse_quantity(std::string("3") + name + "B", Dimension::bytes) == 3 * factor);
    CHECK(parse_quantity(std::string("3") + name + "B/s", Dimension::byte_rate) == 3 * factor);
    CHECK(parse_quantity(std::string("3") + name + "FLOP", Dimension::flops) == 3 * factor);
    CHECK(parse_quantity(std::string("3") + name + "FLOP/s", Dimension::flop_rate) == 3 * factor);
    if (factor > 1) CHECK(parse_quantity(std::string("8") + name + "bps", Dimension::byte_rate) == factor);
  }
  for (const auto& [name, factor] : {Prefix{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}}) {
    CHECK(parse_quantity(std::string("3") + name + "B", Dimension::bytes) == 3 * factor);
    CHECK(parse_quantity(std::string("3") + name + "B/s", Dimension::byte_rate) == 3 * factor);
  }
}

TEST_CASE("text that is not a quantity is refused with a reason") {
  CHECK(
      error_of("10Gbs", Dimension::byte_rate) ==
      "\"10Gbs\" is not a bandwidth: its unit \"Gbs\" is not known here; did you mean \"Gbps\"? Expected a number "
      "with a unit, such as \"10Gbps\". Allowed units: B/s, KB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, bit/s, "
      "Kbps, Mbps, Gbps, Tbps");
  CHECK(
      error_of("0", Dimension::time) ==
      "\"0\" is not a time: it has no unit. Expected a number with a unit, such as \"5us\". Allowed units: s, ms, us, "
      "ns, min, h, d");
  CHECK_THAT(error_of("-1s", Dimension::time), Catch::Contains("it must not be negative"));
  CHECK_THAT(error_of("-0s", Dimension::time), Catch::Contains("it must not be negative"));
  CHECK_THAT(error_of("+1s", Dimension::time), Catch::Contains("remove the plus sign"));
  CHECK_THAT(error_of("", Dimension::time), Catch::Contains("it is empty"));
  CHECK_THAT(error_of("1e400s", Dimension::time), Catch::Contains("it is too large"));
  CHECK_THAT(error_of("1e308h", Dimension::time), Catch::Contains("it is too large"));
  CHECK_THAT(error_of("1e99999999999s", Dimension::time), Catch::Contains("it is too large"));
  CHECK_THAT(error_of("1e-400s", Dimension::time), Catch::Contains("it is too small"));
  CHECK_THAT(error_of("1e-99999999999s", Dimension::time), Catch::Contains("it is too small"));
  CHECK_THAT(error_of("1 parsec", Dimension::time), Catch::Contains("its unit \"parsec\" is not known here. "));
  CHECK_THAT(error_of("1S", Dimension::time), Catch::Contains("did you mean \"s\"?"));
  CHECK_THAT(error_of("2,5Gbps", Dimension::byte_rate), Catch::Contains("it has a comma: write 2.5. "));
  CHECK_THAT(error_of("1,000MB", Dimension::bytes), Catch::Contains("it has a comma: write 1.000 or 1000. "));
  CHECK_THAT(error_of(" 10Gbps", Dimension::byte_rate), Catch::Contains("remove the blank before the number"));
  for (const char* none : {"5ps", "5M", "5k", "5fs"})
    CHECK_THAT(error_of(none, Dimension::time), !Catch::Contains("did you mean"));
  for (const auto* text :
       {"nan", "NaN", "inf",  "infinity", "nans", "infs", "0x10s", "1e",     "1es",  "1e+s", ".5s",
        "5.s", "05s", "1  s", " 1s",      "1s ",  "s",    "1,5s",  "1_000s", "1s1s", "1B",   "1GB/s"})
    CHECK(refused(text, Dimension::time));
  CHECK(refused("1b", Dimension::bytes));
  CHECK(refused("1Mb", Dimension::bytes));
  CHECK(refused("1s", Dimension::bytes));
}

TEST_CASE("other spellings of units are read, and bits stay bits") {
  struct Spelling {
    const char *text, *plain;
  };
  for (const auto& [text, plain] : {Spelling{"200Gb/s", "200Gbps"},
                                    {"200Gbit/s", "200Gbps"},
                                    {"200 Gbits/sec", "200Gbps"},
                                    {"200gbps", "200Gbps"},
                                    {"200gbit/s", "200Gbps"},
                                    {"100mbps", "100Mbps"},
                                    {"25GBps", "25GB/s"},
                                    {"25KiBps", "25KiB/s"},
                                    {"10 kB/s", "10KB/s"},
                                    {"10 kbps", "10Kbps"},
                                    {"100 Mbit/s", "100Mbps"},
                                    {"8b/s", "1B/s"},
                                    {"8bps", "1B/s"},
                                    {"8Gibit/s", "1GiB/s"},
                                    {"8Kib/s", "1KiB/s"},
                                    {"5MBps", "5MB/s"},
                                    {"5TB/sec", "5TB/s"},
                                    {"25GBytes/s", "25GB/s"},
                                    {"25 Mbyte/s", "25MB/s"}}) {
    INFO(text);
    CHECK(parse_quantity(text, Dimension::byte_rate) == parse_quantity(plain, Dimension::byte_rate));
  }
  for (const char* text : {"5usec", "5\xC2\xB5s", "5\xCE\xBCs", "5 \xC2\xB5sec", "5mus"})
    CHECK(parse<Seconds>(text).value() == 5e-6);
  CHECK(parse<Seconds>("5msec").value() == 5e-3);
  CHECK(parse<Seconds>("5nsec").value() == 5e-9);
  CHECK(parse<Seconds>("5sec").value() == 5);
  CHECK(parse<SecondsPerByte>("5\xC2\xB5s/B").value() == 5e-6);
  CHECK(parse<Bytes>("4kB").value() == 4000);
  // These may mean either unit.
  for (const char* text : {"1gb/s", "1mb/s", "1GBPS", "1Gps", "1G"}) CHECK(refused(text, Dimension::byte_rate));
}

namespace {

/// Returns the text after "did you mean"; empty: no hint.
std::string hint_for(const std::string& text, Dimension dimension) {
  const std::string error = error_of(text, dimension), before = "did you mean \"";
  const std::size_t at = error.find(before);
  if (at == std::string::npos) return {};
  return error.substr(at + before.size(), error.find('"', at + before.size()) - at - before.size());
}

} // namespace

TEST_CASE("no hint turns bits into bytes, or bytes into bits") {
  const auto bits = [](const std::string& unit) { return unit.find('b') != std::string::npos; };
  for (const Dimension dimension : {Dimension::bytes, Dimension::byte_rate}) {
    for (const char* text : {"10Gb", "10gb", "10Mb", "1Gbs", "3mb/s", "4gib/s", "1GBIT/s", "1gbits", "1Gbp", "1kbit"}) {
      const std::string hint = hint_for(text, dimension);
      INFO(text << " -> " << hint);
      CHECK((hint.empty() || bits(hint)));
    }
    for (const char* text : {"25GBp", "1GBs", "1MByte/s", "1gbyte", "1KBs", "1MiBs"}) {
      const std::string hint = hint_for(text, dimension);
      INFO(text << " -> " << hint);
      CHECK((hint.empty() || !bits(hint)));
    }
    for (const char* text : {"1GBPS", "1MBPS"}) CHECK(hint_for(text, dimension).empty());
  }
  for (const char* text : {"1Gps", "1G/s", "1G"}) CHECK(hint_for(text, Dimension::byte_rate).empty());
  CHECK(hint_for("1gb/s", Dimension::byte_rate) == "Gbps");
  CHECK(hint_for("1GBs", Dimension::byte_rate) == "GB/s");
  // The hint keeps the prefix: "bit/s" would be smaller by a factor of 10^9.
  for (const char* text : {"200GBit/s", "200 GBit/s", "200GBITS/SEC", "200Gbitps", "200gBit/s"})
    CHECK(hint_for(text, Dimension::byte_rate) == "Gbps");
  CHECK(hint_for("100MBit/s", Dimension::byte_rate) == "Mbps");
  for (const char* text : {"100gbit", "100GbE", "100Gbits"}) CHECK(hint_for(text, Dimension::byte_rate) == "Gbps");
  CHECK(hint_for("100MBit", Dimension::byte_rate) == "Mbps");
  CHECK(hint_for("8Bit/s", Dimension::byte_rate) == "bit/s");
  CHECK(hint_for("8GiBit/s", Dimension::byte_rate) == "Gibit/s"); // the only name of a unit of that size
  CHECK(hint_for("8GIB/S", Dimension::byte_rate) == "GiB/s");
  CHECK(hint_for("8MIB", Dimension::bytes) == "MiB");
  CHECK(hint_for("10Gbs", Dimension::byte_rate) == "Gbps");
  CHECK(hint_for("10M", Dimension::bytes) == "MB");
  CHECK(hint_for("10 Mbit", Dimension::bytes).empty());
  CHECK(hint_for("5u", Dimension::time) == "us"); // not "s"
  CHECK(hint_for("5n", Dimension::time) == "ns");
}

TEST_CASE("the pattern of a dimension matches what the reader accepts") {
  // All combinations of up to two prefixes and endings, including those that are not units.
  const std::vector<std::string> prefixes = {"",  "k",  "K",  "m",  "M",  "g",  "G",  "t",        "T",        "u",
                                             "n", "Ki", "Mi", "Gi", "Ti", "ki", "mi", "\xC2\xB5", "\xCE\xBC", "P"};
  const std::vector<std::string> endings = {"",    "s",     "sec",    "B",      "b",        "B/s", "Bps",  "B/sec",
                                            "bps", "b/s",   "bit/s",  "bits/s", "bits/sec", "bit", "FLOP", "FLOP/s",
                                            "s/B", "sec/B", "byte/s", "BPS",    "min",      "h",   "d",    "in"};
  for (const Dimension dimension : dimensions) {
    const std::regex pattern("(" + unit_pattern(dimension) + ")");
    std::size_t accepted = 0;
    for (const std::string& prefix : prefixes)
      for (const std::string& ending : endings) {
        INFO(prefix + ending);
        const bool read = !refused("1" + prefix + ending, dimension);
        accepted += read ? 1 : 0;
        CHECK(read == std::regex_match(prefix + ending, pattern));
      }
    CHECK(accepted >= 4);
  }
}

TEST_CASE("zero with any exponent is zero") {
  CHECK(parse<Seconds>("0e999s").value() == 0);
  CHECK(parse<Seconds>("0.000e-999s").value() == 0);
}

TEST_CASE("what is formatted reads back bit for bit") {
  for (const auto dimension : all_dimensions) {
    for (const auto style : {UnitStyle::base, UnitStyle::pretty}) {
      REQUIRE(rc::check("any double", [=] {
        const auto x = any_quantity();
        RC_ASSERT(parse_quantity(format_quantity(x, dimension, style), dimension) == x);
      }));
      REQUIRE(rc::check("usual numbers", [=] {
        const auto x = usual_quantity();
        RC_ASSERT(parse_quantity(format_quantity(x, dimension, style), dimension) == x);
      }));
      for (const auto x : {0.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()})
        CHECK(parse_quantity(format_quantity(x, dimension, style), dimension) == x);
    }
  }
}

TEST_CASE("people see the unit that fits, files the base unit") {
  CHECK(format(Seconds(5e-6)) == "5us");
  CHECK(format(Seconds(0)) == "0s");
  CHECK(format(Bytes(1 << 20)) == "1MiB");
  CHECK(format(Bytes(1e8)) == "100MB");
  CHECK(format(ByteRate(1.25e9)) == "10Gbps");
  CHECK(format(SecondsPerByte(2.5e-9)) == "2.5ns/B");
  CHECK(format(ByteRate(1.25e9), UnitStyle::base) == "1250000000B/s");
  CHECK(format(Seconds(5e-6), UnitStyle::base) == "5e-06s");
  CHECK_THROWS_AS(format(Seconds(-1)), std::invalid_argument);
  CHECK_THROWS_AS(format(Seconds(std::numeric_limits<double>::infinity())), std::invalid_argument);
}

TEST_CASE("sizes of benchmarks have one letter for a unit, or none") {
  CHECK(with_byte_unit("4096") == "4096B");
  CHECK(with_byte_unit("128M") == "128MiB");
  CHECK(with_byte_unit("1.5g") == "1.5GiB");
  for (const char* stays : {"1.5", "1MB", "1.5T", "k", ""}) CHECK(with_byte_unit(stays) == stays);
}
