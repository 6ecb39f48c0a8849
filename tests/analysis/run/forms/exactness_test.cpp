// Compares simulation and closed form if every assumption holds: 1e-9, for every algorithm, over p, sizes, rates and
// gamma.
#include "analysis/run/forms/closed_form.hpp"
#include "tests/support/collective_cases.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

using namespace gradflight;
using namespace gradflight::test;

namespace {

constexpr double tolerance = 1e-9;

/// Simulates and compares, with both engines if `both`. The form must exist, and all its assumptions must hold.
void require_exact(const Scenario& s, bool both = false) {
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  const ClosedFormAnswer answer = closed_form(s, platform);
  INFO(answer.why_none);
  REQUIRE(answer.form);
  INFO(answer.form->name << ", p = " << s.workers() << ", " << s.workload.elements()
                         << " elements: " << answer.form->cause());
  REQUIRE(answer.form->all_hold());
  const FormTerms& terms = answer.form->terms;
  const double parts = terms.alpha + terms.beta + terms.gamma + terms.compute + terms.other;
  REQUIRE(std::abs(parts - terms.time) <= tolerance * terms.time);
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
    if (engine == EngineKind::simgrid && !both) continue;
    const Outcome o = run(s, engine);
    INFO(o.message);
    REQUIRE(!o.failed);
    INFO("simulated " << o.time << " form " << terms.time << " relative " << (o.time - terms.time) / terms.time);
    REQUIRE(std::abs(o.time - terms.time) <= tolerance * terms.time);
  }
}

constexpr int ranks[] = {2, 3, 4, 5, 7, 8, 16, 31, 32, 64};
const std::set<int> all_ranks(std::begin(ranks), std::end(ranks));

/// Returns 1 KB to 1 GB in whole elements, divisible by every p above (and by p - 1 or 2^k for folds that halve).
std::int64_t elements(int p, double bytes) {
  int power = 1;
  while (2 * power <= p) power *= 2;
  const std::int64_t unit = static_cast<std::int64_t>(p) * power;
  return std::max<std::int64_t>(1, std::llround(bytes / 4 / static_cast<double>(unit))) * unit;
}

/// Returns whether the form holds. If it does, the engine must agree with it; both engines unless the case is large.
bool exact_where_it_holds(const Scenario& s, bool both) {
  const ClosedFormAnswer answer = closed_form(s, build_platform(s.platform, extra_nodes(s)));
  if (!answer.form || !answer.form->all_hold()) return false;
  require_exact(s, both);
  return true;
}

/// Tries ranks, sizes, rates and gamma, with message bytes at one rate. Returns the numbers of ranks at which the form
/// holds for all other values.
std::set<int> sweep(ExchangeSpec exchange, bool server_each = false) {
  std::set<int> held = all_ranks;
  for (const int p : ranks)
    for (const double bytes : {1e3, 1e6, 1e9})
      for (const double gbps : {1.0, 10.0, 100.0})
        for (const double reduce : {0.0, 10e9}) {
          if (server_each) exchange.servers = p;
          Scenario s = star(p, elements(p, bytes) * exchange.pieces, exchange.algorithm, reduce);
          training(s).exchange = exchange;
          training(s).exchange.merge_bandwidth = ByteRate(2e9);
          s.platform.network.link.bandwidth = ByteRate(gbps * 1e9 / 8);
          if (gbps == 10) s.platform.message_bytes = Bytes(700);
          // The reference engine runs in a separate process, which takes longest with a sanitizer, because its tables
          // are copied.
          const bool both =
              is_sanitized ? (p == 3 || p == 4) && bytes == 1e6 && gbps == 10 && reduce > 0 : p <= 8 && bytes < 1e9;
          if (is_sanitized && p > 8 && (bytes > 1e6 || gbps != 10)) continue;
          if (!exact_where_it_holds(s, both)) held.erase(p);
        }
  return held;
}

} // namespace

TEST_CASE("every collective of the catalogue is exact, or says that it has no closed form") {
  for (const CollectiveCase& one : all_cases()) {
    INFO(one.name);
    const Collective& row = collective(one.exchange.algorithm);
    if (std::holds_alternative<NoForm>(row.form)) {
      Scenario s = star(4, 1000, one.exchange.algorithm);
      training(s).exchange = one.exchange;
      const ClosedFormAnswer answer = closed_form(s, build_platform(s.platform, extra_nodes(s)));
      CHECK_FALSE(answer.form);
      CHECK(answer.why_none.starts_with("no closed form: "));
      continue;
    }
    const std::set<int> held = sweep(one.exchange);
    const bool any_p = std::holds_alternative<const StepsForm*>(row.form) || row.keys.sharded ||
                       (row.keys.servers && (one.exchange.servers == 1 || one.exchange.colocated));
    if (any_p)
      CHECK(held == all_ranks);
    else
      CHECK(held.size() >= 5); // groups must be full, and trees of several servers never hold
  }
}

TEST_CASE("the path of a form costs what its sum does") {
  for (const Algorithm algorithm : algorithms()) {
    const auto* const* form = std::get_if<const StepsForm*>(&collective(algorithm).form);
    if (form == nullptr || (*form)->cost == nullptr || (*form)->path == nullptr) continue;
    INFO(collective(algorithm).name);
    StepsForm path = **form;
    path.cost = nullptr;
    for (const int p : ranks)
      for (const LinkParameters& link : {LinkParameters{1, 0, 0}, LinkParameters{0, 1, 0}, LinkParameters{0, 0, 1}}) {
        INFO("p = " << p);
        const double sum = (*form)->time({}, p, elements(p, 1e6), link).time;
        REQUIRE(path.time({}, p, elements(p, 1e6), link).time == Approx(sum).epsilon(1e-12));
      }
  }
}

TEST_CASE("parameter server with p servers, apart and colocated, is exact") {
  for (const bool colocated : {false, true}) {
    ExchangeSpec exchange;
    exchange.algorithm = Algorithm::parameter_server;
    exchange.colocated = colocated;
    CHECK(sweep(exchange, true) == all_ranks);
  }
}

TEST_CASE("hierarchical is exact where groups are full") {
  for (const int group : {2, 4}) {
    for (const int p : {4, 8, 16, 32, 64})
      for (const Algorithm top : {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::parameter_server})
        for (const GroupReduce reduce :
             {GroupReduce::ring, GroupReduce::flat, GroupReduce::binomial, GroupReduce::allreduce})
          for (const GroupBroadcast broadcast :
               {GroupBroadcast::flat, GroupBroadcast::binomial, GroupBroadcast::ring}) {
            Scenario s = star(p, elements(p, 1e6), Algorithm::hierarchical);
            training(s).exchange.levels = {{group, reduce, broadcast, false}};
            training(s).exchange.top = top;
            if (group == 4) s.platform.message_bytes = Bytes(300);
            require_exact(s);
          }
  }
}

TEST_CASE("steps with compute are exact over several iterations") {
  for (const int p : {2, 5, 8})
    for (const OverlapKind overlap : {OverlapKind::none, OverlapKind::layerwise, OverlapKind::pipelined})
      for (const int k : {1, 2, 3})
        for (const double compute : {1e-4, 1e-2})
          for (const auto granularity :
               {Granularity::Kind::model, Granularity::Kind::tensor, Granularity::Kind::segments}) {
            Scenario s = star(p, elements(p, 1e6), Algorithm::ring);
            s.workload.layers.clear();
            for (int l = 0; l < 4; ++l)
              s.workload.layers.push_back(
                  {"l", compute * (l + 1), 2 * compute * (4 - l), {{"t", elements(p, 1e6) * (1 + l)}}});
            s.workload.update = compute / 3;
            training(s).overlap = {overlap, overlap == OverlapKind::pipelined ? k : 1};
            training(s).granularity.kind = granularity;
            training(s).granularity.segments = 5;
            training(s).iterations = 6;
            training(s).accumulation = k == 3 ? 2 : 1;
            require_exact(s, p == 2 && (!is_sanitized || compute < 1e-3));
          }
}

TEST_CASE("tensors left out of the compression are exact where blocks weigh alike") {
  Scenario s = star(4, 1, Algorithm::parameter_server);
  s.workload.layers = {{"a", 1e-3, 1e-3, {{"conv", 40'000}, {"bn", 400}}},
                       {"b", 1e-3, 1e-3, {{"fc", 80'000}, {"bias", 40}}}};
  training(s).compression.ratio = 3.7;
  training(s).compression.except = {"b*"};
  training(s).compression.tensor_overhead = Bytes(4);
  training(s).iterations = 3;
  SECTION("one server, by tensor") { training(s).granularity.kind = Granularity::Kind::tensor; }
  SECTION("one server, whole model") {}
  SECTION("one server, cut anywhere") {
    training(s).granularity = {.kind = Granularity::Kind::segments, .segments = 7};
  }
  SECTION("one leg") { training(s).compression.pull = false; }
  SECTION("recursive doubling, fused") {
    training(s).exchange.algorithm = Algorithm::recursive_doubling;
    training(s).granularity = {.kind = Granularity::Kind::fusion, .bytes = 100'000};
  }
  SECTION("binomial tree") { training(s).exchange.algorithm = Algorithm::binomial_tree; }
  SECTION("a ring by tensor: an overhead in each block") {
    training(s).exchange.algorithm = Algorithm::ring;
    training(s).granularity.kind = Granularity::Kind::tensor;
  }
  SECTION("halving-doubling by tensor, without overhead") {
    training(s).exchange.algorithm = Algorithm::halving_doubling;
    training(s).granularity.kind = Granularity::Kind::tensor;
    training(s).compression.tensor_overhead.reset();
  }
  SECTION("hierarchical by tensor, without overhead") {
    training(s).exchange.algorithm = Algorithm::hierarchical;
    training(s).exchange.levels = {{2, GroupReduce::ring, GroupBroadcast::binomial, false}};
    training(s).granularity.kind = Granularity::Kind::tensor;
    training(s).compression.tensor_overhead.reset();
  }
  require_exact(s, true);
}

TEST_CASE("chosen chunks are exact where vectors and chunk counts divide") {
  for (const Algorithm algorithm : algorithms()) {
    if (has_servers({algorithm}) || sends_lists({algorithm}) || is_sharded({algorithm})) continue;
    for (const OverlapKind overlap : {OverlapKind::none, OverlapKind::layerwise})
      for (const double threshold : {0.0, 200'000.0}) {
        const int p = 8;
        Scenario s = star(p, 1, algorithm);
        s.workload.layers = {{"a", 1e-3, 4e-4, {{"conv", 300'000}}}, {"b", 1e-3, 1e-4, {{"fc", 4'820'000}}}};
        s.workload.update = 1e-4;
        training(s).exchange.levels = {{2, GroupReduce::ring, GroupBroadcast::binomial, false}};
        training(s).selection = ChunkSelection{0.15, 32'000, {}}; // 24 of 160 chunks
        training(s).overlap.kind = overlap;
        training(s).compression.ratio = 2;
        training(s).iterations = 3;
        if (threshold > 0) training(s).granularity = {.kind = Granularity::Kind::fusion, .bytes = threshold};
        training(s).costs.push_back(
            {"norms", CostHook::selection, CostResource::gpu, SecondsPerByte(1e-11), {}, {}, {}, {}});
        training(s).costs.push_back(
            {"copy", CostHook::before_exchange, CostResource::pcie, SecondsPerByte(1e-11), {}, Seconds(1e-6), {}, {}});
        Phase dense = s.phases[0];
        dense.training.selection->share = 1;
        dense.training.iterations = 2;
        s.phases.insert(s.phases.begin(), dense);
        require_exact(s, !is_sanitized || threshold > 0);
      }
  }
}

TEST_CASE("blocks of different weight are named as the cause") {
  Scenario s = star(4, 1, Algorithm::ring);
  s.workload.layers = {{"a", 0, 0, {{"conv", 40'000}, {"bn", 400}}}};
  training(s).compression.ratio = 4;
  training(s).compression.except = {"bn"};
  std::string named = "all blocks of a vector have the same wire bytes";
  SECTION("a ring") {}
  SECTION("servers") {
    training(s).exchange.algorithm = Algorithm::parameter_server;
    training(s).exchange.servers = 2;
  }
  SECTION("halving-doubling") {
    training(s).exchange.algorithm = Algorithm::halving_doubling;
    named = "the wire bytes of any part of a vector are proportional to its elements";
  }
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  const ClosedFormAnswer answer = closed_form(s, platform);
  REQUIRE(answer.form);
  REQUIRE(!answer.form->all_hold());
  REQUIRE(answer.form->cause().find(named) != std::string::npos);
}

TEST_CASE("accumulation, local steps, compression and host costs are exact without overlap") {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::parameter_server, Algorithm::halving_doubling}) {
    Scenario s = star(4, elements(4, 1e6), algorithm);
    s.workload.layers[0].forward = 1e-3;
    s.workload.layers[0].backward = 2e-3;
    s.workload.update = 5e-4;
    training(s).iterations = 7;
    SECTION("accumulation") { training(s).accumulation = 3; }
    SECTION("every second step") { training(s).every = 2; }
    SECTION("ratio") { training(s).compression.ratio = 4; }
    SECTION("ratio that divides nothing") { training(s).compression.ratio = 3.7; }
    SECTION("costs") {
      for (const CostHook hook : {CostHook::iteration, CostHook::before_exchange, CostHook::after_exchange})
        training(s).costs.push_back(
            {"c", hook, CostResource::pcie, SecondsPerByte(1e-10), Seconds(1e-9), Seconds(1e-5), {}, Seconds(2e-5)});
    }
    SECTION("a warm-up phase of its own") {
      s.phases.insert(s.phases.begin(), s.phases[0]);
      s.phases[0].training.exchange.algorithm = Algorithm::recursive_doubling;
      s.phases[0].training.iterations = 2;
    }
    require_exact(s, true);
  }
}
