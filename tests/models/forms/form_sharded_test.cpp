#include "models/forms/form_sharded.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace gradflight;

namespace {

Moment sent(double seconds) { return Moment::exchanging({0, seconds, 0}); }
GatheredPass layer(double seconds, std::size_t needs) { return {Moment::computing(seconds), needs}; }

} // namespace

TEST_CASE("a pass waits for its gather, and a gather for the pass that it awaits") {
  // Gathers of 2 s, one ahead. The first takes 0-2. The second starts when the first pass begins, 2-4. The passes take
  // 2-5 and 5-8.
  const auto one = side_by_side({}, {layer(3, 1), layer(3, 2)}, {{0, sent(2)}, {0, sent(2)}});
  CHECK(one.passes.time == Approx(8));
  CHECK(one.tasks.time == Approx(4));
  // None ahead: the second gather waits for the first pass, 5-7. Its pass ends at 10, and a scatter after it at 14.
  const auto none = side_by_side({}, {layer(3, 1), layer(3, 2)}, {{0, sent(2)}, {1, sent(2)}, {2, sent(4)}});
  CHECK(none.passes.time == Approx(10));
  CHECK(none.tasks.time == Approx(14));
  CHECK(none.tasks.compute == Approx(6));
  CHECK(none.tasks.beta == Approx(8));
}

TEST_CASE("passes that need few tasks do not wait for those that run meanwhile") {
  const auto ends = side_by_side({}, {layer(1, 1), layer(1, 1), layer(1, 0)}, {{0, sent(1)}, {1, sent(10)}});
  CHECK(ends.passes.time == Approx(4));
  CHECK(ends.tasks.time == Approx(12));
}

TEST_CASE("both sides go on from where they begin") {
  const SideBySide begin{Moment::computing(5), sent(7)};
  const auto ends = side_by_side(begin, {layer(1, 1)}, {{0, sent(1)}});
  CHECK(ends.tasks.time == Approx(8));
  CHECK(ends.passes.time == Approx(9));
  // A task that waits for no pass starts before the passes begin.
  CHECK(side_by_side({Moment::computing(5), {}}, {layer(1, 1)}, {{no_pass, sent(4)}}).passes.time == Approx(6));
  CHECK(side_by_side(begin, {}, {}).passes.time == Approx(5));
}

TEST_CASE("a pass and a task that wait for each other are found out") {
  CHECK_THROWS_AS(side_by_side({}, {layer(1, 1)}, {{1, sent(1)}}), std::logic_error);
}
