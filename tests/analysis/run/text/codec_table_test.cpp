#include "analysis/run/text/codec_table.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace gradflight;
using Catch::Contains;

namespace {

/// 100 values in 100 bytes, one of them not compared; errors of 3 and 4.
MeasuredTensor measured(const std::string& name, std::optional<double> bound) {
  codec::Statistics s;
  s.tensors = 1;
  s.values = s.encoded_bytes = 100;
  s.compared = 99;
  s.largest_magnitude = 8;
  s.largest_error = 4;
  s.squared_error = 25;
  s.squared_values = 100;
  s.error_sum = 9.9;
  s.bound = bound;
  s.above_bound = bound ? 2 : 0;
  return {name, s};
}

MeasuredTensor with_classes(MeasuredTensor one) {
  one.statistics.classes = codec::inceptionn::ClassCounts{10, 20, 30, 40};
  return one;
}

} // namespace

TEST_CASE("the total of tensors: sums, and the largest of bounds and errors") {
  auto a = with_classes(measured("a", 1)), b = measured("b", 5);
  b.statistics.largest_error = 2;
  const auto total = total_of({a, b});
  CHECK(total.tensors == 2);
  CHECK(total.values == 200);
  CHECK(total.compared == 198);
  CHECK(total.largest_error == 4);
  CHECK(total.bound == 5);
  CHECK(total.above_bound == 4);
  CHECK(total.relative_l2() == Approx(0.5));
  CHECK(total.classes == codec::inceptionn::ClassCounts{10, 20, 30, 40});
  CHECK_FALSE(total_of({measured("c", {})}).bound);
  CHECK_FALSE(total_of({}).classes);
}

TEST_CASE("a table has a row for each tensor, and one for all where there are several") {
  const auto one = codec_statistics_table({measured("weights", {})});
  CHECK_THAT(one, Contains("weights         100         4          8") && Contains("none") && !Contains("\nall"));
  CHECK_THAT(one, !Contains("2b %"));
  const auto two = codec_statistics_table({with_classes(measured("a", 1)), with_classes(measured("b", 1))});
  CHECK_THAT(two, Contains("\nall            200") && Contains("  10.00   20.00   30.00   40.00"));
}

TEST_CASE("statistics as JSON say null where a codec promises nothing") {
  const auto json = codec_statistics_json("toy", {measured("a", 5), measured("b", {})});
  CHECK(json["codec"] == "toy");
  REQUIRE(json["tensors"].size() == 2);
  const auto &a = json["tensors"][0], &b = json["tensors"][1];
  CHECK(a["name"] == "a");
  CHECK(a["dense_bytes"] == 400);
  CHECK(a["ratio"] == 4.0);
  CHECK(a["not_compared"] == 1);
  CHECK(a["error_bound"] == 5.0);
  CHECK(a["values_above_bound"] == 2);
  CHECK(a["relative_l2_error"] == 0.5);
  CHECK(a["bias"] == Approx(0.1));
  CHECK(b["error_bound"].is_null());
  CHECK(b["values_above_bound"].is_null());
  CHECK_FALSE(a.contains("class_shares"));
  CHECK(json["total"]["values"] == 200);
  const auto shares = codec_statistics_json("toy", {with_classes(measured("a", 5))})["total"]["class_shares"];
  CHECK(shares["2bit"] == Approx(0.1));
  CHECK(shares["34bit"] == Approx(0.4));
}
