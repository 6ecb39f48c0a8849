// Several plans in one executor: unchanged if they share nothing, and with max-min shares if they share a link.
#include "sim/engine/run_plans.hpp"
#include "sim/engine/streams/failure.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/shifted_plans.hpp"

#include <catch2/catch.hpp>
#include <optional>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Rank 0 sends one message to rank 1, which waits for it. It is not a training plan.
class OneMessage final : public Plan, public PlanSequence {
public:
  OneMessage(std::int32_t from_place, std::int32_t to_place, double bytes, bool awaited = true)
      : bytes_(bytes), awaited_(awaited) {
    shape_.place = {from_place, to_place};
    shape_.members = 2;
  }
  [[nodiscard]] const PlanShape& shape() const override { return shape_; }
  [[nodiscard]] PlanNames names() const override { return {{}, {"message"}, {}, {"sender", "receiver"}}; }
  [[nodiscard]] std::unique_ptr<Program> program(int rank, int) override {
    if (rank == 1 && !awaited_) return nullptr;
    return std::make_unique<Once>(rank);
  }
  void weigh(const StepOp&, int, std::uint32_t, double, Weight& weight) override {
    weight = {};
    weight.payload = weight.wire = bytes_;
  }
  Plan* next() override {
    begun_ = true;
    return this;
  }
  [[nodiscard]] bool last() const override { return begun_; }
  [[nodiscard]] bool through_nics() const override { return false; }

private:
  class Once final : public Program {
  public:
    explicit Once(int rank) : rank_(rank) {}
    bool next(Op& op) override {
      if (done_) return false;
      done_ = true;
      StepOp& step = op.emplace<StepOp>();
      (rank_ == 0 ? step.transfer.to : step.transfer.from) = 1 - rank_;
      return true;
    }

  private:
    int rank_;
    bool done_ = false;
  };

  PlanShape shape_;
  double bytes_;
  bool awaited_, begun_ = false;
};

/// A star with links of 1 MB per second, without latency.
PlatformSpec slow_star(int nodes) {
  PlatformSpec spec;
  spec.nodes = nodes;
  spec.network.link = {ByteRate(1e6), Seconds(0), {}, {}};
  return spec;
}

void require_same(const RunResult& a, const RunResult& b) {
  CHECK(a.time == b.time);
  CHECK(a.iteration_time == b.iteration_time);
  CHECK(a.path == b.path);
  CHECK(a.communication_time == b.communication_time);
  CHECK(a.exposed_communication_time == b.exposed_communication_time);
  CHECK(a.messages == b.messages);
  CHECK(a.wire_bytes == b.wire_bytes);
  CHECK(a.received_bytes == b.received_bytes);
  REQUIRE(a.iterations.size() == b.iterations.size());
  for (std::size_t i = 0; i < a.iterations.size(); ++i) CHECK(a.iterations[i].end == b.iterations[i].end);
}

Scenario layered(int nodes, Algorithm algorithm) {
  Scenario s = star(nodes, 1, algorithm);
  s.workload.layers = {{"a", 1e-3, 2e-3, {{"w", 600'001}, {"b", 7}}}, {"c", 1.5e-3, 1e-3, {{"w", 430'003}}}};
  s.workload.update = 1e-4;
  s.engine.shortcuts = false;
  training(s).overlap.kind = OverlapKind::layerwise;
  training(s).granularity.kind = Granularity::Kind::tensor;
  training(s).iterations = 3;
  return s;
}

/// A ring; then, in a separate phase with more streams, halving and doubling.
Scenario two_phases() {
  Scenario s = layered(4, Algorithm::halving_doubling);
  training(s).streams = 3;
  s.phases.insert(s.phases.begin(), s.phases[0]);
  s.phases[0].training.exchange.algorithm = Algorithm::ring;
  s.phases[0].training.streams = 1;
  return s;
}

/// Runs the scenarios' workers together on one star, each on separate nodes; all have colocated servers or none.
void require_undisturbed(const std::vector<Scenario>& scenarios) {
  PlatformSpec together = scenarios.front().platform;
  together.nodes = 0;
  std::vector<Platform> own;
  std::vector<std::int32_t> first;
  for (const Scenario& s : scenarios) {
    own.push_back(build_platform(s.platform, extra_nodes(s)));
    first.push_back(together.nodes);
    together.nodes += s.platform.nodes + extra_nodes(s);
  }
  const Platform platform = build_platform(together, 0);
  std::vector<std::unique_ptr<ShiftedPlans>> plans;
  std::vector<PlanSequence*> all;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    plans.push_back(std::make_unique<ShiftedPlans>(scenarios[i], own[i], first[i]));
    all.push_back(plans.back().get());
  }
  const PlansResult result = run_plans(together, platform, all);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    INFO("plan " << i);
    const RunResult alone = simulate(scenarios[i], own[i]);
    require_same(result.plans[i], alone);
    for (std::size_t l = 0; l < alone.links.size(); ++l) { // a star's links are up and down of each node in turn
      const LinkResult& shared = result.links[l + 2 * static_cast<std::size_t>(first[i])];
      CHECK(shared.bytes == alone.links[l].bytes);
      if (scenarios[i].phases.back().training.exchange.backup_workers == 0) CHECK(shared.busy == alone.links[l].busy);
    }
  }
}

} // namespace

TEST_CASE("plans on nodes of their own run as each alone") {
  const Scenario ring = layered(4, Algorithm::ring), doubling = layered(8, Algorithm::recursive_doubling);
  Scenario server = layered(5, Algorithm::parameter_server);
  require_undisturbed({ring, ring});
  require_undisturbed({ring, server, doubling});
  require_undisturbed({two_phases(), ring, two_phases()});
}

TEST_CASE("a plan that leaves late workers behind ends alone") {
  Scenario backup = layered(5, Algorithm::parameter_server);
  training(backup).exchange.backup_workers = 2;
  Scenario longer = layered(4, Algorithm::ring);
  training(longer).iterations = 30;
  require_undisturbed({backup, longer});
  require_undisturbed({longer, backup});
}

TEST_CASE("plans that share a link take the max-min share") {
  const PlatformSpec spec = slow_star(4);
  const Platform platform = build_platform(spec, 0);
  OneMessage large(0, 2, 1e6), small(1, 2, 5e5), apart(2, 3, 1e6);
  PlanSequence* const all[] = {&large, &small, &apart};
  const PlansResult result = run_plans(spec, platform, all);
  CHECK(result.plans[0].time == 1.5); // half of the link until the small message ends, then all of it
  CHECK(result.plans[1].time == 1.0);
  CHECK(result.plans[2].time == 1.0); // sends from the shared node in the other direction
  CHECK(at(result.plans[0].path, Part::contention) == 0.5);
  CHECK(result.plans[0].wire_bytes == 1e6);
  CHECK(result.plans[1].wire_bytes == 5e5);
  OneMessage alone(0, 2, 1e6);
  PlanSequence* const only[] = {&alone};
  CHECK(run_plans(spec, platform, only).plans[0].time == 1.0);
}

TEST_CASE("a plan that cannot end fails the run, whatever the others do") {
  const PlatformSpec spec = slow_star(4);
  const Platform platform = build_platform(spec, 0);
  OneMessage fine(0, 1, 1e6), stuck(2, 3, 1e6, false);
  PlanSequence* const all[] = {&fine, &stuck};
  try {
    run_plans(spec, platform, all);
    FAIL("it ended");
  } catch (const SimulationFailure& failure) {
    REQUIRE(failure.blocked_count == 1);
    CHECK(failure.blocked[0].rank == 0);
    CHECK(failure.blocked[0].waiting_for.find("to rank 1") != std::string::npos);
  }
}
