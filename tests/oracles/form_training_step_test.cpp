#include "models/forms/form_collectives.hpp"
#include "tests/oracles/form_textbook.hpp"
#include "tests/oracles/form_training_step.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {
constexpr LinkParameters net{5e-6, 8e-10, 1e-10};
constexpr StageTimes stages{0.01, 0.02, 0.04, 0.1};
} // namespace

TEST_CASE("Pipe-SGD: segments cost (L-1)(2(p-1) alpha + S) more than the whole, Eq. 5 and 6", "[models][forms]") {
  const int p = 4, segments = 10;
  const double n = 1e8, s = 1e-3;
  const CollectiveCost ring = allreduce_ring(p, n, net);
  const double eq5 = sequential_communication_run(1, stages, ring, s);
  const double eq6 = segmented_communication_run(1, stages, 0, p, segments, n, s, net);
  REQUIRE(eq5 > stages.update + stages.compute()); // communication bound
  CHECK(eq6 - eq5 == Approx((segments - 1) * (2 * (p - 1) * net.alpha + s)));
  CHECK(segmented_communication_run(1, stages, 0, p, 1, n, s, net) == Approx(eq5));
}

TEST_CASE("Pipe-SGD: a pipeline of K is K times shorter at best, and bounded by one resource", "[models][forms]") {
  CHECK(synchronous_run(100, stages) == Approx(17));
  CHECK(ideal_pipeline_run(100, 2, stages) == Approx(8.5));
  CHECK(bounded_pipeline_run(100, stages) == Approx(10));
  CHECK(pipeline_efficiency(stages) == Approx(0.7));
  CHECK(pipeline_efficiency({0.01, 0.02, 0.04, 0.05}) == 1);
  CHECK(pipeline_efficiency({}) == 1);
}

TEST_CASE("Pipe-SGD Fig. 3 b: light codecs hide, heavy ones do not", "[models][forms]") {
  const double transfer = 5e-6 + 1e8 * 8e-10 / 4 / 4;
  CHECK(pipelined_allreduce_step(4, 1e8, 4, 0, net) == Approx(transfer));
  CHECK(pipelined_allreduce_step(4, 1e8, 4, 1e-9, net) == Approx(1e8 / 4 * 1.1e-9));
}

TEST_CASE("3LC: ten copies of ResNet-110 through 10 Mbps take 55.3 s", "[models][forms]") {
  const LinkParameters shaped{0, 8 / 1e7, 0};
  const double copies = server_link_time(10, 4.0 * 1727962, 1, 0, shaped);
  CHECK(copies == Approx(55.3).margin(0.05));
  CHECK(server_link_time(10, 1e6, 100, 1, shaped) == Approx(1.01 * 8));
}

TEST_CASE("a step that overlaps in part", "[models][forms]") {
  CHECK(partly_overlapped_step(2, 5, 0) == Approx(7));
  CHECK(partly_overlapped_step(2, 5, 1) == Approx(5));
  CHECK(partly_overlapped_step(5, 2, 0.5) == Approx(6));
}

TEST_CASE("INCEPTIONN: ratios of Table III and the measured-time rule", "[models][forms]") {
  CHECK(inceptionn_ratio(0.749, 0.039, 0.211, 0.001) == Approx(5.59).margin(0.01)); // AlexNet, 2^-10
  CHECK(inceptionn_ratio(0.920, 0.065, 0.015, 0) == Approx(11.59).margin(0.01));    // HDC, 2^-10
  CHECK(rescaled_transfer(1, 10, 5, 0.25) == Approx(3.25));
}

TEST_CASE("GradientFlow: one ring per tensor, and fused ones", "[models][forms]") {
  const std::vector<double> tensors = {4e6, 1e6, 1e6, 256, 8e6};
  const CollectiveCost sum = per_tensor_rings(16, tensors, net);
  const CollectiveCost fused = allreduce_ring(16, 14000256, net);
  CHECK(sum.beta == Approx(fused.beta));
  CHECK(sum.alpha == Approx(5 * fused.alpha));
  CHECK(lazy_groups(tensors, 5e6) == std::vector<double>{6e6, 8000256});
  CHECK(lazy_groups(tensors, 0) == tensors);
  CHECK(lazy_groups(tensors, 1e9) == std::vector<double>{14000256});
  CHECK(lazy_groups({}, 1).empty());
}
