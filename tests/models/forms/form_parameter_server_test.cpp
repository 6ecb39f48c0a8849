#include "models/forms/form_collectives.hpp"
#include "models/forms/form_parameter_server.hpp"
#include "tests/oracles/form_textbook.hpp"
#include "tests/oracles/form_worker_aggregator.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace gradflight;

namespace {

constexpr LinkParameters ten_gbps{5e-6, 8e-10, 1e-10};

/// Returns the smallest and the largest max-min rate of all flows of a leg with unit links, by progressive filling.
std::pair<double, double> filled_rates(const ServerShape& shape) {
  struct Flow {
    int worker, server;
    double rate = -1;
  };
  std::vector<Flow> flows;
  for (int w = 0; w < shape.workers; ++w)
    for (int s = 0; s < shape.servers; ++s)
      if (!shape.colocated || w != s) flows.push_back({w, s});
  std::vector<double> left(static_cast<std::size_t>(shape.workers + shape.servers), 1);
  const auto links = [&](const Flow& f) {
    return std::pair(static_cast<std::size_t>(f.worker), static_cast<std::size_t>(shape.workers + f.server));
  };
  for (;;) {
    std::vector<int> open(left.size(), 0);
    for (const Flow& f : flows)
      if (f.rate < 0) ++open[links(f).first], ++open[links(f).second];
    double share = INFINITY;
    for (std::size_t l = 0; l < left.size(); ++l)
      if (open[l] > 0) share = std::min(share, left[l] / open[l]);
    if (!std::isfinite(share)) break;
    std::vector<bool> full(left.size());
    for (std::size_t l = 0; l < left.size(); ++l) full[l] = open[l] > 0 && left[l] / open[l] <= share * (1 + 1e-12);
    for (Flow& f : flows) {
      const auto [a, b] = links(f);
      if (f.rate >= 0 || (!full[a] && !full[b])) continue;
      f.rate = share;
      left[a] -= share;
      left[b] -= share;
    }
  }
  const auto [low, high] =
      std::minmax_element(flows.begin(), flows.end(), [](auto& a, auto& b) { return a.rate < b.rate; });
  return {low->rate, high->rate};
}

} // namespace

TEST_CASE("with equal shares all flows of a leg end together", "[models][forms]") {
  for (int p = 1; p <= 9; ++p)
    for (int servers = 1; servers <= 12; ++servers)
      for (const bool colocated : {false, true}) {
        if (colocated && (servers > p || p == 1)) continue;
        const ServerShape shape{p, servers, colocated};
        const auto [low, high] = filled_rates(shape);
        CAPTURE(p, servers, colocated);
        CHECK(low == Approx(high).epsilon(1e-9));
        CHECK(busiest_link_bytes(shape, 1) == Approx(1 / low).epsilon(1e-9));
      }
}

TEST_CASE("one server, flat: 2(alpha + p n beta) + (p-1) n gamma", "[models][forms]") {
  const CollectiveCost cost = parameter_server_flat({4, 1, false}, 1e6, ten_gbps);
  CHECK(cost.alpha == Approx(1e-5));
  CHECK(cost.beta == Approx(8e6 * 8e-10));
  CHECK(cost.gamma == Approx(3e6 * 1e-10));
  CHECK(parameter_server_flat({1, 1, true}, 1e6, ten_gbps).total() == 0);
}

TEST_CASE("as many servers as workers halve the ring's bytes (GradientFlow Sec. 5)", "[models][forms]") {
  const double k = 1e8;
  const ServerTraffic traffic = server_traffic(64, 64, k);
  CHECK(traffic.worker_bytes == k);
  CHECK(traffic.server_bytes == Approx(k));
  const LinkParameters bytes_only{0, 1, 0};
  const double servers = parameter_server_flat({64, 64, false}, k, bytes_only).beta;
  // Push and pull use opposite directions, but the ring's two halves use the same one: half the bytes per direction.
  CHECK(servers / 2 == Approx(allreduce_ring(64, k, bytes_only).beta / 2 * 64 / 63));
  CHECK(server_traffic(64, 16, k).server_bytes == Approx(4 * k));
}

TEST_CASE("INCEPTIONN's worker aggregator as built and as printed", "[models][forms]") {
  // Four workers: the tree spans five nodes and takes three rounds; the paper's takes two.
  const double n = 243860896;
  const LinkParameters link{0, 8e-10, 0};
  CHECK(worker_aggregator(4, n, link).beta == Approx(7 * n * 8e-10));
  CHECK(worker_aggregator_as_printed(4, n, link).beta == Approx(6 * n * 8e-10));
  for (const int p : {1, 2, 3, 5, 7, 8, 15, 31}) {
    CAPTURE(p);
    CHECK(worker_aggregator(p, n, ten_gbps).total() >= worker_aggregator_as_printed(p, n, ten_gbps).total());
  }
  CHECK(worker_aggregator(7, n, link).beta == Approx(10 * n * 8e-10)); // 7 + ceil(lg 8)
}

TEST_CASE("compression reaches one leg of the aggregator and both of the ring", "[models][forms]") {
  const double n = 1e8;
  const LinkParameters link{1e-6, 8e-10, 1e-11};
  const CollectiveCost wa = worker_aggregator(4, n, link), wac = worker_aggregator_compressed(4, n, 10, link);
  CHECK(wa.beta - wac.beta == Approx(0.9 * 4 * n * link.beta));
  CHECK(wa.gamma == Approx(wac.gamma));
  const CollectiveCost inc = allreduce_ring(4, n, link), incc = ring_compressed(4, n, 10, link);
  CHECK(incc.beta == Approx(inc.beta / 10));
  CHECK(incc.alpha == Approx(inc.alpha));
}
