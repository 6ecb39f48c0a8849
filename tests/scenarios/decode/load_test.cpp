#include "scenarios/language/decode/load.hpp"

#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("the minimal scenario of the contract loads") {
  const auto s = parse_scenario(minimal, "dir/minimal.json");
  CHECK(s.name == "minimal");
  CHECK(s.workers() == 8);
  CHECK(s.platform.network.topology == Topology::star);
  CHECK(s.platform.network.link.bandwidth.value() == 1.25e9);
  CHECK(s.platform.network.link.latency->value() == 5e-6);
  CHECK(s.platform.reduce_bandwidth->value() == 1e10);
  CHECK(s.workload.elements() == 25'000'000);
  REQUIRE(s.phases.size() == 1);
  CHECK(s.phases[0].name == "main");
  CHECK(s.phases[0].training.exchange.algorithm == Algorithm::ring);
  CHECK(s.engine.kind == EngineKind::hybrid);
  CHECK(s.engine.shortcuts);
}

TEST_CASE("every form of a setting is read") {
  CHECK(with({"engine={\"kind\":\"simgrid\",\"shortcuts\":false}"}).engine.kind == EngineKind::simgrid);
  CHECK_FALSE(with({"engine={\"kind\":\"simgrid\",\"shortcuts\":false}"}).engine.shortcuts);
  CHECK(with({"engine=simgrid"}).engine.shortcuts);
  CHECK(with({"placement=cyclic"}).placement == Placement::cyclic);
  CHECK(with({"limits.simulated_time=2min"}).limits.simulated_time->value() == 120);

  const auto training = [](const std::vector<std::string>& sets) { return with(sets).phases.back().training; };
  CHECK(training({"training.granularity=tensor"}).granularity.kind == Granularity::Kind::tensor);
  const auto fused = training({"training.granularity={\"fusion_threshold\":\"16MB\"}"}).granularity;
  CHECK(fused.kind == Granularity::Kind::fusion);
  CHECK(fused.bytes == 16e6);
  const auto ddp = training({"training.granularity={\"ddp_bucket\":\"25MiB\"}"}).granularity;
  CHECK(ddp.kind == Granularity::Kind::ddp);
  CHECK(ddp.bytes == 26214400);
  CHECK(ddp.first_bytes == 1048576);
  const auto first = training({"training.granularity={\"ddp_bucket\":\"25MiB\",\"first_bucket\":\"2MiB\"}"});
  CHECK(first.granularity.first_bytes == 2097152);
  const auto cut = training({"training.granularity={\"segments\":7}"}).granularity;
  CHECK(cut.kind == Granularity::Kind::segments);
  CHECK(cut.segments == 7);
  CHECK(training({"training.overlap=layerwise"}).overlap.kind == OverlapKind::layerwise);
  CHECK(training({"training.overlap={\"pipelined\":2}"}).overlap.k == 2);
  const auto legs = training({"training.exchange.algorithm=parameter_server",
                              "training.compression={\"ratio\":4,\"legs\":[\"push\"]}"})
                        .compression;
  CHECK(legs.push);
  CHECK_FALSE(legs.pull);
  CHECK(legs.ratio == 4);
  const auto cost = training({R"(training.costs=[{"name":"copy","at":"message_send","on":"pcie","per_byte":"0.1ns/B",
                                                  "per_message":"10us"}])"})
                        .costs.at(0);
  CHECK(cost.at == CostHook::message_send);
  CHECK(cost.on == CostResource::pcie);
  CHECK(cost.per_byte.value() == 1e-10);
  CHECK(cost.per_message.value() == 1e-5);

  const auto exchange = [&](const std::string& json) { return training({"training.exchange=" + json}).exchange; };
  CHECK(exchange(R"({"algorithm":"hierarchical","group_size":4})").levels.at(0).group_size == 4);
  const auto levels = exchange(R"({"algorithm":"hierarchical","top":"binomial_tree","levels":[{"group_size":2,
      "reduce":"allreduce","broadcast":"ring","aggregator":"dedicated"},{"group_size":2}]})");
  REQUIRE(levels.levels.size() == 2);
  CHECK(levels.levels[0].reduce == GroupReduce::allreduce);
  CHECK(levels.levels[0].broadcast == GroupBroadcast::ring);
  CHECK(levels.levels[0].dedicated);
  CHECK_FALSE(levels.levels[1].dedicated);
  CHECK(levels.top == Algorithm::binomial_tree);
  const auto servers = exchange(R"({"algorithm":"parameter_server","servers":3,"colocated":true,"pull":"binomial"})");
  CHECK(servers.servers == 3);
  CHECK(servers.colocated);
  CHECK(servers.pull == Pull::binomial);
  const auto stale =
      exchange(R"({"algorithm":"parameter_server","consistency":"bounded_staleness","staleness_bound":2})");
  CHECK(stale.consistency == Consistency::bounded_staleness);
  CHECK(stale.staleness_bound == 2);
  CHECK(exchange(R"({"algorithm":"gtopk","density":0.01,"merge_bandwidth":"1GB/s"})").merge_bandwidth->value() == 1e9);
  const auto gathered = exchange(R"({"algorithm":"topk_allgather","all_gather":"ring","merge_bandwidth":"2GB/s"})");
  CHECK(gathered.all_gather == AllGather::ring);
  CHECK(gathered.merge_bandwidth->value() == 2e9);
  CHECK(exchange(R"({"algorithm":"ring","pieces":4})").pieces == 4);
}

TEST_CASE("every topology is read") {
  const auto network = [](const std::string& json) { return with({"platform.network=" + json}).platform.network; };
  const std::string link = R"("link":{"bandwidth":"25Gbps"})";
  const auto racks =
      network(R"({"topology":"racks",)" + link + R"(,"racks":{"nodes_per_rack":4,"oversubscription":3}})");
  CHECK(racks.racks.nodes_per_rack == 4);
  CHECK(racks.racks.oversubscription == 3);
  CHECK_FALSE(racks.link.latency); // absent
  const auto uplink =
      network(R"({"topology":"racks",)" + link + R"(,"racks":{"nodes_per_rack":4,"uplink":{"bandwidth":"100Gbps"}}})");
  CHECK(uplink.racks.uplink->bandwidth.value() == 12.5e9);
  CHECK_FALSE(uplink.racks.uplink->latency); // the link's latency applies
  const auto tree = network(R"({"topology":"fat_tree",)" + link +
                            R"(,"fat_tree":{"levels":[{"down":4,"up":1},{"down":2,"up":2,"cables":3}]}})");
  REQUIRE(tree.fat_tree.size() == 2);
  CHECK(tree.fat_tree[1].cables == 3);
  CHECK(network(R"({"topology":"torus",)" + link + R"(,"torus":{"dimensions":[4,2]}})").torus == std::vector{4, 2});
  const auto dragonfly = network(R"({"topology":"dragonfly",)" + link +
                                 R"(,"dragonfly":{"groups":2,"routers":2,"nodes":2,"global":{"bandwidth":"1Gbps"}}})");
  CHECK(dragonfly.dragonfly.groups == 2);
  CHECK(dragonfly.dragonfly.global->bandwidth.value() == 1.25e8);
  CHECK_FALSE(dragonfly.dragonfly.local);
  const auto graph = network(R"({"topology":"graph","switches":["a"],"links":[{"from":0,"to":"a","bandwidth":"1Gbps"},
      {"from":"a","to":"1","bandwidth":"2Gbps","latency":"1ms","one_way":true,"egress_bandwidth":"1Mbps"}]})");
  REQUIRE(graph.edges.size() == 2);
  CHECK(graph.edges[0].from == "0");
  CHECK(graph.edges[1].one_way);
  CHECK(graph.edges[1].link.egress->value() == 125000);
}

TEST_CASE("overrides are nodes or links, in order") {
  const auto p = with({R"(platform.overrides=[{"nodes":"0-2,7","compute_speed":0.5},{"link":"node3.up",
      "bandwidth":"1Gbps"},{"nodes":3,"latency":"1ms"},{"nodes":[5,4,5],"egress_bandwidth":"1Gbps"}])"})
                     .platform;
  REQUIRE(p.node_overrides.size() == 3);
  CHECK(p.node_overrides[0].nodes == std::vector{0, 1, 2, 7});
  CHECK(*p.node_overrides[0].compute_speed == 0.5);
  CHECK(p.node_overrides[1].nodes == std::vector{3});
  CHECK(p.node_overrides[1].entry == 2);
  CHECK(p.node_overrides[2].nodes == std::vector{4, 5});
  REQUIRE(p.link_overrides.size() == 1);
  CHECK(p.link_overrides[0].link == "node3.up");
  CHECK(p.link_overrides[0].entry == 1);
}

TEST_CASE("tensors have one size, given in one of three ways") {
  const auto elements = [](const std::string& tensor) {
    return with({"workload.tensors=[" + tensor + "]"}).workload.elements();
  };
  CHECK(elements(R"({"bytes":"4B"})") == 1);
  CHECK(elements(R"({"elements":5})") == 5);
  CHECK(elements(R"({"shape":[2,3,7]})") == 42);
  CHECK(with({R"(workload.tensors=[{"elements":1},{"elements":2}])"}).workload.layers[0].tensors[1].name == "tensor1");
}

TEST_CASE("layer times come from totals or rates") {
  const auto load = [](const std::string& compute) {
    return with({R"(workload={"batch":2,"layers":[{"name":"a","flops_forward":"1GFLOP","tensors":[{"elements":4}]},
        {"name":"b","flops_forward":3e9,"flops_backward":2e9}],"compute":)" +
                 compute + "}"})
        .workload;
  };
  const auto split = load(R"({"forward":"4s","backward":"8s","update":"1ms"})");
  CHECK(split.layers[0].forward == Approx(1).epsilon(1e-12));
  CHECK(split.layers[1].forward == Approx(3).epsilon(1e-12));
  CHECK(split.layers[0].backward == Approx(4).epsilon(1e-12)); // absent: twice the forward operations
  CHECK(split.layers[1].backward == Approx(4).epsilon(1e-12));
  CHECK(split.update == 1e-3);
  const auto total = load(R"({"total":"8s"})");
  CHECK(total.layers[0].forward == Approx(1).epsilon(1e-12));
  CHECK(total.layers[1].backward == Approx(2).epsilon(1e-12));
  const auto rate = load(R"({"gpu_rate":"2GFLOP/s","backward_rate":"1GFLOP/s"})");
  CHECK(rate.layers[1].forward == Approx(3).epsilon(1e-12));
  CHECK(rate.layers[1].backward == Approx(4).epsilon(1e-12));
  const auto given = with({R"(workload={"layers":[{"forward":"1ms","backward":"1ms","tensors":[{"elements":4}]},
      {"forward":"3ms","backward":"1ms"}],"compute":{"forward":"8s","backward":"4s","split":"given"}})"})
                         .workload;
  CHECK(given.layers[0].forward == Approx(2).epsilon(1e-12));
  CHECK(given.layers[1].forward == Approx(6).epsilon(1e-12));
  CHECK(given.layers[1].backward == Approx(2).epsilon(1e-12));
}

TEST_CASE("phases say only what differs") {
  const auto s = with({"training.streams=3", "training.iterations=50",
                       R"(training.warmup=[{"iterations":2,"exchange":{"algorithm":"gtopk","density":0.25}},
                          {"name":"late","iterations":3,"streams":1}])"});
  REQUIRE(s.phases.size() == 3);
  CHECK(s.phases[0].name == "warmup0");
  CHECK(s.phases[0].training.exchange.algorithm == Algorithm::gtopk);
  CHECK(s.phases[0].training.exchange.density == 0.25);
  CHECK(s.phases[0].training.streams == 3);
  CHECK(s.phases[0].training.iterations == 2);
  CHECK(s.phases[1].name == "late");
  CHECK(s.phases[1].training.streams == 1);
  CHECK(s.phases[2].training.iterations == 50);
}
