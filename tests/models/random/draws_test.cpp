#include "models/random/draws.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace gradflight;

namespace {

struct DrawnMoments {
  double mean = 0, second = 0;
};
template <class Draw> DrawnMoments moments_drawn(Draw draw) {
  constexpr int count = 20'000;
  DrawnMoments m;
  for (int i = 0; i < count; ++i) {
    Uniforms uniform(7, static_cast<std::uint32_t>(i), 0, 0);
    const double x = draw(uniform);
    m.mean += x / count;
    m.second += x * x / count;
  }
  return m;
}

} // namespace

TEST_CASE("draws have the moments of their distributions") {
  const DrawnMoments e = moments_drawn([](Uniforms& u) { return exponential(u); });
  CHECK(e.mean == Approx(1).epsilon(0.03));
  CHECK(e.second == Approx(2).epsilon(0.08));
  const DrawnMoments n = moments_drawn([](Uniforms& u) { return normal(u); });
  CHECK(std::abs(n.mean) < 0.03);
  CHECK(n.second == Approx(1).epsilon(0.04));
}

TEST_CASE("Weibull's distribution has mean 1 and its shape's variance") {
  for (const double shape : {0.7, 1.0, 2.0, 5.0}) {
    CAPTURE(shape);
    const Weibull weibull(shape);
    const DrawnMoments w = moments_drawn([&](Uniforms& u) { return weibull.draw(u); });
    const double mean = std::tgamma(1 + 1 / shape);
    CHECK(w.mean == Approx(1).epsilon(0.04));
    CHECK(w.second == Approx(std::tgamma(1 + 2 / shape) / (mean * mean)).epsilon(0.1));
  }
}

TEST_CASE("draws are functions of what they are for") {
  const auto first = [](std::int64_t seed, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    Uniforms uniform(seed, a, b, c);
    return exponential(uniform);
  };
  CHECK(first(1, 2, 3, 4) == first(1, 2, 3, 4));
  for (const double other : {first(2, 2, 3, 4), first(1, 3, 3, 4), first(1, 2, 4, 4), first(1, 2, 3, 5)})
    CHECK(other != first(1, 2, 3, 4));
  Uniforms uniform(1, 2, 3, 4);
  const double e = exponential(uniform);
  Uniforms again(1, 2, 3, 4);
  CHECK(Weibull(0.5).draw(again) == Approx(e * e / 2).epsilon(1e-15));
}
