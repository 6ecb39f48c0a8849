#include "base/human.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

TEST_CASE("human_seconds picks the unit that leaves a number of at least 1") {
  CHECK(human_seconds(0) == "0 s");
  CHECK(human_seconds(1.5) == "1.5 s");
  CHECK(human_seconds(0.15014) == "150.14 ms");
  CHECK(human_seconds(12.5e-6) == "12.5 us");
  CHECK(human_seconds(3e-10) == "0.3 ns");
  CHECK(human_seconds(-2.77e-17) == "-2.8e-17 s");
  CHECK(human_seconds(-2e-3) == "-2 ms");
  CHECK(human_seconds(123456.7) == "123457 s");
}

TEST_CASE("rounding never shows 1000 of a unit") {
  CHECK(human_seconds(0.99999999) == "1 s");
  CHECK(human_seconds(0.000999999999) == "1 ms");
  CHECK(human_seconds(0.9999) == "999.9 ms");
}

TEST_CASE("bytes are decimal, link rates in bits, memory rates in bytes") {
  CHECK(human_bytes(4) == "4 B");
  CHECK(human_bytes(100e6) == "100 MB");
  CHECK(human_bytes(1048576) == "1.04858 MB");
  CHECK(human_rate(1.25e9) == "10 Gbps");
  CHECK(human_rate(1.25e6) == "10 Mbps");
  CHECK(human_rate(1e308) == "8e+296 Tbps");
  CHECK(human_byte_rate(1e10) == "10 GB/s");
}

TEST_CASE("counts are exact while they are short") {
  CHECK(human_count(0) == "0");
  CHECK(human_count(231840) == "231840");
  CHECK(human_count(80.1e6) == "80.1 M");
  CHECK(counted(1, "message") == "1 message");
  CHECK(counted(2, "message") == "2 messages");
  CHECK(tallied("3 runs", {{"ok", 2}, {"moved", 0}, {"failed", 1}}) == "3 runs: 2 ok, 1 failed");
  CHECK(tallied("0 runs", {{"ok", 0}}) == "0 runs");
}

TEST_CASE("shares and errors keep what matters in sight") {
  CHECK(human_percent(0) == "0 %");
  CHECK(human_percent(0.0001) == "<0.1 %");
  CHECK(human_percent(0.932) == "93.2 %");
  CHECK(human_error(0) == "0");
  CHECK(human_error(-3.14e-16) == "-3.1e-16");
  CHECK(human_error(0.012) == "+1.2 %");
}
