// Compares the sizes of blocks, with tensors left out of the compression, to a count element by element.
#include "sim/training/wire_weight.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;

namespace {

struct Drawn {
  Workload workload;
  CompressionSpec compression;
  std::vector<Bucket> buckets;
};

Drawn draw() {
  Drawn d;
  const int layers = *rc::gen::inRange(1, 5);
  for (int l = 0; l < layers; ++l) {
    Layer layer{"l", 0, 0, {}};
    const int tensors = *rc::gen::inRange(l == 0 ? 1 : 0, 4);
    for (int t = 0; t < tensors; ++t)
      layer.tensors.push_back({*rc::gen::element<std::string>("conv", "bn1.weight", "bn2.weight", "bias"),
                               *rc::gen::inRange<std::int64_t>(1, 40)});
    d.workload.layers.push_back(layer);
  }
  d.compression.ratio = *rc::gen::element(1.0, 3.7, 16.0);
  if (*rc::gen::arbitrary<bool>()) d.compression.except = {"bn*"};
  if (*rc::gen::arbitrary<bool>()) d.compression.except_below = Bytes(*rc::gen::inRange(4, 100));
  if (*rc::gen::arbitrary<bool>()) d.compression.tensor_overhead = Bytes(4);
  Granularity granularity{.kind = *rc::gen::element(Granularity::Kind::model, Granularity::Kind::tensor,
                                                    Granularity::Kind::fusion, Granularity::Kind::segments)};
  granularity.bytes = 150;
  granularity.segments = static_cast<int>(std::min<std::int64_t>(3, d.workload.elements()));
  d.buckets = make_buckets(d.workload, granularity);
  return d;
}

/// Counts element by element, in gradient order.
double counted(const Drawn& d, int bucket, Range range) {
  std::int64_t begin = range.first;
  for (int b = 0; b < bucket; ++b) begin += d.buckets[static_cast<std::size_t>(b)].elements;
  double bytes = 0;
  std::int64_t element = 0;
  std::set<const Tensor*> paid;
  for (auto layer = d.workload.layers.rbegin(); layer != d.workload.layers.rend(); ++layer)
    for (auto tensor = layer->tensors.rbegin(); tensor != layer->tensors.rend(); ++tensor)
      for (std::int64_t i = 0; i < tensor->elements; ++i, ++element) {
        if (element < begin || element >= begin + range.count) continue;
        const bool named = !d.compression.except.empty() && tensor->name.rfind("bn", 0) == 0;
        const bool small = d.compression.except_below &&
                           4.0 * static_cast<double>(tensor->elements) < d.compression.except_below->value();
        if (named || small) {
          bytes += 4;
          continue;
        }
        bytes += 4 / d.compression.ratio;
        if (d.compression.tensor_overhead && paid.insert(&*tensor).second) bytes += 4;
      }
  return bytes;
}

} // namespace

TEST_CASE("a block weighs what its elements and tensors do") {
  REQUIRE(rc::check([] {
    const Drawn d = draw();
    const WireWeight weight(d.workload, d.buckets, d.compression);
    for (int b = 0; b < static_cast<int>(d.buckets.size()); ++b) {
      const std::int64_t n = d.buckets[static_cast<std::size_t>(b)].elements;
      const std::int64_t first = *rc::gen::inRange<std::int64_t>(0, n);
      const Range range{first, *rc::gen::inRange<std::int64_t>(0, n - first + 1)};
      const double expected = counted(d, b, range), bytes = weight.bytes(b, range);
      RC_ASSERT(std::abs(bytes - expected) <= 1e-12 * (expected + 1));
      double heaviest = 0;
      for (int i = 0; i < 3; ++i) heaviest = std::max(heaviest, counted(d, b, Blocks(n, 3).range(i)));
      RC_ASSERT(std::abs(weight.heaviest_block(b, 3) - heaviest) <= 1e-12 * (heaviest + 1));
      if (weight.proportional(b))
        RC_ASSERT(std::abs(bytes * static_cast<double>(n) - counted(d, b, {0, n}) * static_cast<double>(range.count)) <=
                  1e-9);
    }
  }));
}

TEST_CASE("the parts of a block are its elements in order, and those left out are those that weigh 4 bytes") {
  REQUIRE(rc::check([] {
    const Drawn d = draw();
    const WireWeight weight(d.workload, d.buckets, d.compression);
    WireWeight::Parts parts;
    for (int b = 0; b < static_cast<int>(d.buckets.size()); ++b) {
      const std::int64_t n = d.buckets[static_cast<std::size_t>(b)].elements;
      const std::int64_t first = *rc::gen::inRange<std::int64_t>(0, n);
      const Range range{first, *rc::gen::inRange<std::int64_t>(1, n - first + 1)};
      weight.parts(b, range, parts);
      double bytes = parts.overhead_bytes;
      std::int64_t next = 0;
      for (const WireWeight::Run& run : parts.runs) {
        RC_ASSERT(run.elements.first == next);
        RC_ASSERT(run.elements.count > 0);
        next += run.elements.count;
        bytes += 4.0 * static_cast<double>(run.elements.count) / (run.compressed ? d.compression.ratio : 1);
      }
      RC_ASSERT(next == range.count);
      RC_ASSERT(std::abs(bytes - counted(d, b, range)) <= 1e-9);
    }
  }));
}
