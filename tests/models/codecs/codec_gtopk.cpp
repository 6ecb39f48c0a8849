// gTop-k's merge, tree and put-back; CSC's chunks.
#include "models/codecs/selection/csc.hpp"
#include "models/codecs/selection/gtopk.hpp"
#include "tests/models/codecs/codec_support.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <rapidcheck.h>

namespace gradflight::codec {
namespace {

using gtopk::Merge;

std::vector<SparseVector> selections(std::size_t ranks, std::size_t elements, std::size_t k, unsigned seed) {
  std::vector<SparseVector> all;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    all.push_back(
        simd::select_largest(test::tensor(test::Kind::ties, elements, seed + static_cast<unsigned>(rank)), k));
  return all;
}

TEST_CASE("a merge is the k largest of the union, exactly k, ascending") {
  REQUIRE(rc::check([] {
    const auto elements = static_cast<std::size_t>(*rc::gen::inRange(1, 60));
    const auto k = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
    const auto both = selections(2, elements, k, *rc::gen::arbitrary<unsigned>());
    const SparseVector merged = gtopk::merge(both[0], both[1], k);

    std::map<std::uint32_t, float> sums;
    for (const SparseVector& part : both)
      for (std::size_t i = 0; i < part.size(); ++i) sums[part.indices[i]] += part.values[i];
    std::vector<std::pair<float, std::uint32_t>> order;
    for (const auto& [index, value] : sums) order.emplace_back(-std::fabs(value), index);
    std::sort(order.begin(), order.end());
    order.resize(std::min(k, order.size()));
    std::map<std::uint32_t, float> wanted;
    for (const auto& [size, index] : order) wanted[index] = sums[index];
    RC_ASSERT(merged.size() == std::min(k, sums.size()));
    RC_ASSERT(merged.size() == wanted.size());
    std::size_t i = 0;
    for (const auto& [index, value] : wanted) {
      RC_ASSERT(merged.indices[i] == index);
      RC_ASSERT(merged.values[i++] == value);
    }
  }));
}

TEST_CASE("entries that cancel out fill up to k and appear once") {
  const SparseVector a = {{1, 4}, {2.0f, 3.0f}}, b = {{1, 4}, {-2.0f, -3.0f}};
  CHECK(gtopk::merge(a, b, 2) == SparseVector{{1, 4}, {0.0f, 0.0f}});
  // Ties go to the lower index.
  CHECK(gtopk::merge(a, {{2, 3}, {2.0f, -2.0f}}, 2) == SparseVector{{1, 4}, {2.0f, 3.0f}});
}

TEST_CASE("the tree doubles its distance and reaches rank 0 from any number of ranks") {
  CHECK(gtopk::tree(1).empty());
  CHECK(gtopk::tree(5) == std::vector<std::vector<Merge>>{{{0, 1}, {2, 3}}, {{0, 2}}, {{0, 4}}});
  for (std::size_t ranks = 2; ranks < 70; ++ranks) {
    std::vector<int> sent(ranks);
    for (const auto& round : gtopk::tree(ranks))
      for (const Merge& m : round) {
        CHECK(sent[m.receiver] == 0);
        ++sent[m.sender];
      }
    CHECK(sent[0] == 0);
    for (std::size_t rank = 1; rank < ranks; ++rank) CHECK(sent[rank] == 1);
  }
}

TEST_CASE("with k as large as the tensor the tree is the exact sum") {
  const auto all = selections(6, 40, 40, 9);
  const SparseVector result = gtopk::reduce(all, 40);
  REQUIRE(result.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) {
    float sum = 0;
    for (const SparseVector& one : all) sum += one.values[i];
    CHECK(result.values[i] == sum); // multiples of 1/4: exact in any order
  }
}

TEST_CASE("what was selected and not shared returns to the residual") {
  std::vector<float> residual = {9, 0, 0, 0, 9};
  gtopk::put_back({{1, 2, 3}, {5.0f, 6.0f, 7.0f}}, {{0, 2}, {1.0f, 1.0f}}, residual);
  CHECK(residual == std::vector<float>{9, 5, 0, 7, 9});
}

TEST_CASE("CSC sends whole chunks and keeps the others under momentum") {
  const csc::Pool pool{10, 4};
  REQUIRE(pool.chunks() == 3);
  const csc::Chunks important = {true, false, true};
  std::vector<float> gradient = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, history(10, 2.0f);
  csc::correct_momentum(pool, important, 0.5f, gradient, history);
  CHECK(gradient == std::vector<float>{3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(history == std::vector<float>{0, 0, 0, 0, 3.5f, 4, 4.5f, 5, 0, 0});
  CHECK(csc::payload_elements(pool, important) == 6);
  auto payload = csc::gather(pool, important, gradient);
  CHECK(payload == std::vector<float>{3, 4, 5, 6, 11, 12});
  for (float& value : payload) value = -value;
  csc::scatter(pool, important, payload, gradient);
  CHECK(gradient == std::vector<float>{-3, -4, -5, -6, 7, 8, 9, 10, -11, -12});
  CHECK(csc::chunk_norms(pool, important, 2, gradient) == std::vector<float>{9, 34, 11.5f});
  std::vector<float> velocity(10, 1.0f), weights(10, 0.0f);
  csc::update(pool, important, 0.5f, 2.0f, gradient, velocity, weights);
  CHECK(velocity == std::vector<float>{-5.5f, -7.5f, -9.5f, -11.5f, 1, 1, 1, 1, -21.5f, -23.5f});
  CHECK(weights == std::vector<float>{5.5f, 7.5f, 9.5f, 11.5f, 0, 0, 0, 0, 21.5f, 23.5f});
}

TEST_CASE("CSC chooses the chunks of largest norm, and has the paper's counts") {
  const std::vector<float> norms = {1, 3, 2, 3};
  CHECK(csc::select(norms, 0.5) == csc::Chunks{false, true, false, true});
  CHECK(csc::select(norms, 0.25) == csc::Chunks{false, true, false, false}); // ties go to the lower chunk
  CHECK(csc::select(norms, 0.01) == csc::Chunks{false, true, false, false}); // at least one
  CHECK(csc::important_chunks(0.15, 1903) == 286);                           // 285.45
  CHECK(csc::important_chunks(0.07, 100) == 7);                              // 0.07 * 100 is 7.000000000000001
  CHECK(csc::important_chunks(1, 1903) == 1903);
  CHECK(csc::Pool{60'900'000}.chunks() == 1904); // 1903.1, which the paper rounds to 1903
  CHECK(csc::Pool{25'500'000}.chunks() == 797);
}

} // namespace
} // namespace gradflight::codec
