#include "workloads/code/buckets.hpp"

#include "tests/workloads/catalogue.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

using namespace gradflight;
using Kind = Granularity::Kind;

namespace {

/// Up to 8 layers of up to 4 tensors, with at least one tensor in total.
Workload any_workload() {
  Workload workload;
  const int layers = *rc::gen::inRange(1, 9);
  for (int i = 0; i < layers; ++i) {
    workload.layers.push_back({"l" + std::to_string(i), 0, 0, {}});
    const int tensors = *rc::gen::inRange(i == 0 ? 1 : 0, 5);
    for (int t = 0; t < tensors; ++t)
      workload.layers.back().tensors.push_back({"t", *rc::gen::inRange<std::int64_t>(1, 2000)});
  }
  return workload;
}

struct Gradient {
  std::int64_t elements;
  int layer;
};

/// The gradients in reverse order, independent of the code under test.
std::vector<Gradient> reversed(const Workload& workload) {
  std::vector<Gradient> list;
  for (std::size_t i = 0; i < workload.layers.size(); ++i)
    for (const Tensor& tensor : workload.layers[i].tensors) list.push_back({tensor.elements, static_cast<int>(i)});
  std::reverse(list.begin(), list.end());
  return list;
}

double bytes(std::int64_t elements) { return 4.0 * static_cast<double>(elements); }

/// Properties that hold for every granularity.
void check_common(const Workload& workload, const std::vector<Bucket>& buckets) {
  RC_ASSERT(!buckets.empty());
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    RC_ASSERT(buckets[i].elements > 0);
    RC_ASSERT(buckets[i].tensors > 0);
    RC_ASSERT(!buckets[i].name.empty());
    elements += buckets[i].elements;
    if (i > 0) RC_ASSERT(buckets[i].ready_layer <= buckets[i - 1].ready_layer);
  }
  RC_ASSERT(elements == workload.elements());
}

/// Checks buckets of whole tensors: follows the gradients, and calls `visit` with each bucket's size and its last
/// tensor's size.
template <class Visit> void check_whole(const Workload& workload, const std::vector<Bucket>& buckets, Visit visit) {
  const std::vector<Gradient> gradients = reversed(workload);
  std::size_t next = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    std::int64_t elements = 0, last = 0;
    int lowest = std::numeric_limits<int>::max();
    for (int t = 0; t < buckets[i].tensors; ++t) {
      RC_ASSERT(next < gradients.size());
      elements += last = gradients[next].elements;
      lowest = std::min(lowest, gradients[next++].layer);
    }
    RC_ASSERT(buckets[i].elements == elements);
    RC_ASSERT(buckets[i].ready_layer == lowest);
    RC_ASSERT(buckets[i].first_use == lowest);
    visit(i, bytes(elements), bytes(elements - last));
  }
  RC_ASSERT(next == gradients.size());
}

std::vector<std::int64_t> sizes(const std::vector<Bucket>& buckets) {
  std::vector<std::int64_t> result;
  for (const Bucket& bucket : buckets) result.push_back(bucket.elements);
  return result;
}

using Readiness = std::vector<std::pair<std::int64_t, int>>;

/// Returns elements and ready_layer.
Readiness readiness(const std::vector<Bucket>& buckets) {
  Readiness result;
  for (const Bucket& bucket : buckets) result.emplace_back(bucket.elements, bucket.ready_layer);
  return result;
}

/// The example of docs/workloads.md.
Workload three_layers() {
  return {"w",
          "",
          {{"a", 0, 0, {{"a.w", 10}, {"a.b", 2}}}, {"pool", 0, 0, {}}, {"c", 0, 0, {{"c.w", 7}, {"c.b", 1}}}},
          0,
          0};
}

} // namespace

TEST_CASE("one vector and one vector a tensor") {
  REQUIRE(rc::check("model", [] {
    const Workload workload = any_workload();
    const auto buckets = make_buckets(workload, {});
    check_common(workload, buckets);
    RC_ASSERT(buckets.size() == 1U);
    RC_ASSERT(buckets[0].tensors == static_cast<int>(reversed(workload).size()));
    RC_ASSERT(buckets[0].ready_layer == 0);
  }));
  REQUIRE(rc::check("tensor", [] {
    const Workload workload = any_workload();
    const auto buckets = make_buckets(workload, {Kind::tensor});
    check_common(workload, buckets);
    RC_ASSERT(buckets.size() == reversed(workload).size());
    check_whole(workload, buckets, [](std::size_t, double, double) {});
  }));
  CHECK(readiness(make_buckets(three_layers(), {})) == Readiness{{20, 0}});
  const auto buckets = make_buckets(three_layers(), {Kind::tensor});
  CHECK(readiness(buckets) == Readiness{{1, 2}, {7, 2}, {2, 0}, {10, 0}});
  CHECK(buckets[0].name == "c.b");
  CHECK(buckets[3].name == "a.w");
}

TEST_CASE("a fused group closes when it exceeds the threshold, not when it reaches it") {
  REQUIRE(rc::check("fusion", [] {
    const Workload workload = any_workload();
    const double threshold = *rc::gen::inRange(0, 20000);
    const auto buckets = make_buckets(workload, {Kind::fusion, threshold});
    check_common(workload, buckets);
    check_whole(workload, buckets, [&](std::size_t i, double size, double before_last) {
      RC_ASSERT(before_last <= threshold);
      if (i + 1 < buckets.size()) RC_ASSERT(size > threshold);
    });
  }));
  CHECK(readiness(make_buckets(three_layers(), {Kind::fusion, 31})) == Readiness{{8, 2}, {12, 0}});
  CHECK(readiness(make_buckets(three_layers(), {Kind::fusion, 32})) == Readiness{{10, 0}, {10, 0}});
  CHECK(readiness(make_buckets(three_layers(), {Kind::fusion, 0})) == Readiness{{1, 2}, {7, 2}, {2, 0}, {10, 0}});
  CHECK(readiness(make_buckets(three_layers(), {Kind::fusion, 1e12})) == Readiness{{20, 0}});
}

TEST_CASE("a DDP bucket closes when it reaches its limit, the first one at the small limit") {
  REQUIRE(rc::check("ddp", [] {
    const Workload workload = any_workload();
    const double limit = *rc::gen::inRange(0, 20000), first = *rc::gen::inRange(0, 4000);
    const auto buckets = make_buckets(workload, {Kind::ddp, limit, first});
    check_common(workload, buckets);
    check_whole(workload, buckets, [&](std::size_t i, double size, double before_last) {
      const double own = i == 0 ? first : limit;
      RC_ASSERT((before_last < own || own == 0));
      if (i + 1 < buckets.size()) RC_ASSERT(size >= own);
    });
  }));
  CHECK(readiness(make_buckets(three_layers(), {Kind::ddp, 48, 32})) == Readiness{{8, 2}, {12, 0}});
  CHECK(readiness(make_buckets(three_layers(), {Kind::ddp, 48, 33})) == Readiness{{10, 0}, {10, 0}});
}

TEST_CASE("ResNet-50's five DDP buckets at PyTorch's default of 25 MiB") {
  const Workload resnet50 = testing::to_workload(testing::read_network("resnet50"));
  REQUIRE(testing::tensor_count(resnet50) == 161);
  const auto buckets = make_buckets(resnet50, {Kind::ddp, 25.0 * 1024 * 1024});
  CHECK(sizes(buckets) == std::vector<std::int64_t>{2049000, 7875584, 6563840, 6637568, 2431040});
  CHECK(buckets.front().tensors == 2);
  CHECK(buckets.back().ready_layer == 0);
}

TEST_CASE("segments are equal ranges of the gradient-order vector") {
  REQUIRE(rc::check("segments", [] {
    const Workload workload = any_workload();
    const std::int64_t n = workload.elements();
    const int count = *rc::gen::inRange(1, static_cast<int>(std::min<std::int64_t>(n, 50)) + 1);
    const auto buckets = make_buckets(workload, {Kind::segments, 0, 0, count});
    check_common(workload, buckets);
    RC_ASSERT(buckets.size() == static_cast<std::size_t>(count));
    // For each element, its tensor and its layer.
    std::vector<std::size_t> owner;
    const std::vector<Gradient> gradients = reversed(workload);
    for (std::size_t t = 0; t < gradients.size(); ++t)
      owner.insert(owner.end(), static_cast<std::size_t>(gradients[t].elements), t);
    std::size_t begin = 0;
    for (int i = 0; i < count; ++i) {
      const Bucket& bucket = buckets[static_cast<std::size_t>(i)];
      RC_ASSERT(bucket.elements == n / count + (i < n % count ? 1 : 0));
      const std::size_t end = begin + static_cast<std::size_t>(bucket.elements);
      const std::set<std::size_t> tensors(owner.begin() + static_cast<std::ptrdiff_t>(begin),
                                          owner.begin() + static_cast<std::ptrdiff_t>(end));
      int lowest = std::numeric_limits<int>::max();
      for (const std::size_t t : tensors) lowest = std::min(lowest, gradients[t].layer);
      RC_ASSERT(bucket.tensors == static_cast<int>(tensors.size()));
      RC_ASSERT(bucket.ready_layer == lowest);
      RC_ASSERT(bucket.first_use == lowest);
      begin = end;
    }
  }));
  CHECK(readiness(make_buckets(three_layers(), {Kind::segments, 0, 0, 3})) == Readiness{{7, 2}, {7, 0}, {6, 0}});
  CHECK(make_buckets(three_layers(), {Kind::segments, 0, 0, 20}).size() == 20);
}

TEST_CASE("what cannot be cut is refused") {
  CHECK_THROWS_AS(make_buckets(Workload{}, {}), std::invalid_argument);
  CHECK_THROWS_AS(make_buckets(Workload{"w", "", {{"l", 0, 0, {}}}, 0, 0}, {}), std::invalid_argument);
  CHECK_THROWS_AS(make_buckets(Workload{"w", "", {{"l", 0, 0, {{"t", 0}}}}, 0, 0}, {}), std::invalid_argument);
  CHECK_THROWS_AS(make_buckets(three_layers(), {Kind::segments, 0, 0, 21}), std::invalid_argument);
  CHECK_THROWS_AS(make_buckets(three_layers(), {Kind::segments, 0, 0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(make_buckets(three_layers(), {Kind::fusion, -1}), std::invalid_argument);
  CHECK_THROWS_AS(make_buckets(three_layers(), {Kind::ddp, std::numeric_limits<double>::quiet_NaN()}),
                  std::invalid_argument);
}

TEST_CASE("chosen chunks are ready with their last gradient, and the norms come last") {
  // Gradient order: layer 2 has elements 0-7, layer 0 the other 12 (three_layers()).
  const Workload workload = three_layers();
  const auto buckets = make_chunk_buckets(workload, {}, 6, {0, 1, 3}); // [0, 6), [6, 12), [18, 20)
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].elements == 6 + 6 + 2);
  CHECK(buckets[0].tensors == 3);
  CHECK(buckets[0].ready_layer == 0);
  CHECK(!buckets[0].norms);
  CHECK(buckets[1].elements == 4); // chunks of the whole pool
  CHECK(buckets[1].norms);
  CHECK(buckets[1].ready_layer == 0);
  CHECK(readiness(make_chunk_buckets(workload, {Kind::fusion, 0}, 4, {0, 1, 2, 4})) ==
        Readiness{{4, 2}, {4, 2}, {4, 0}, {4, 0}, {5, 0}});
  CHECK(readiness(make_chunk_buckets(workload, {Kind::fusion, 16}, 4, {0, 1, 2, 3, 4})) ==
        Readiness{{8, 2}, {8, 0}, {4, 0}, {5, 0}});
  CHECK_THROWS_AS(make_chunk_buckets(workload, {Kind::tensor}, 4, {0}), std::invalid_argument);
  CHECK_THROWS_AS(make_chunk_buckets(workload, {}, 4, {}), std::invalid_argument);
}

TEST_CASE("no vector mixes element types, and every limit counts their bytes") {
  REQUIRE(rc::check([] {
    Workload workload = any_workload();
    for (Layer& layer : workload.layers)
      for (Tensor& tensor : layer.tensors)
        tensor.element = *rc::gen::element(Element::fp32, Element::bf16, Element::fp8);
    const Kind kind = *rc::gen::element(Kind::model, Kind::tensor, Kind::layer, Kind::fusion, Kind::ddp);
    const double limit = *rc::gen::inRange(1, 9000);
    const auto buckets = make_buckets(workload, {.kind = kind, .bytes = limit, .first_bytes = limit});
    check_common(workload, buckets);
    double sum = 0;
    std::set<Element> types;
    for (const Bucket& bucket : buckets) {
      sum += bucket.bytes();
      types.insert(bucket.element);
    }
    RC_ASSERT(sum == workload.bytes());
    // The vectors of a type are the same as without tensors of other types.
    for (const Element type : types) {
      Workload alone = workload;
      for (Layer& layer : alone.layers)
        std::erase_if(layer.tensors, [&](const Tensor& tensor) { return tensor.element != type; });
      std::vector<std::pair<std::int64_t, int>> expected, found;
      for (const Bucket& bucket : make_buckets(alone, {.kind = kind, .bytes = limit, .first_bytes = limit}))
        expected.emplace_back(bucket.elements, bucket.ready_layer);
      for (const Bucket& bucket : buckets)
        if (bucket.element == type) found.emplace_back(bucket.elements, bucket.ready_layer);
      RC_ASSERT(found == expected);
    }
  }));
}

TEST_CASE("segments and chunks need tensors of one element type") {
  Workload workload{"w", "", {{"l", 0, 0, {{"a", 10}, {"b", 10, Element::bf16}}}}};
  CHECK_THROWS_AS(make_buckets(workload, {.kind = Kind::segments, .segments = 2}), std::invalid_argument);
  CHECK_THROWS_AS(make_chunk_buckets(workload, {.kind = Kind::model}, 4, {0}), std::invalid_argument);
  const auto model = make_buckets(workload, {});
  REQUIRE(model.size() == 2);
  CHECK(model[0].name == "model.bf16");
  CHECK(model[0].bytes() == 20);
  CHECK(model[1].name == "model.fp32");
  CHECK(model[1].bytes() == 40);
  CHECK(workload.element_names() == std::vector<std::string>{"fp32", "bf16"});
  CHECK(!workload.element());
}
