#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("a --set changes and creates values") {
  CHECK(with({"platform.nodes=16"}).platform.nodes == 16);
  CHECK(with({"platform.nodes=16", "platform.nodes=4"}).platform.nodes == 4);
  CHECK(with({"workload.tensors.0.bytes=1KB"}).workload.elements() == 250);
  CHECK(with({"workload.tensors.0={\"elements\":3}"}).workload.elements() == 3);
  CHECK(with({"limits.simulated_time=1s"}).limits.simulated_time->value() == 1);
  CHECK(with({"name=a=b"}).name == "a=b");
  CHECK(with({"name=\"5\""}).name == "5");
  CHECK_FALSE(with({"platform.reduce_bandwidth=null"}).platform.reduce_bandwidth);
}

TEST_CASE("a --set may name a file") {
  const TemporaryDirectory dir;
  const auto file =
      dir.write("star.json", R"({ "nodes": 3, "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } })");
  CHECK(with({"platform=" + file}).platform.nodes == 3);
  CHECK(with({"platform=" + file, "platform.nodes=5"}).platform.nodes == 5);
  CHECK(with({"platform=" + file, "platform.network.link.bandwidth=2Gbps"}).platform.nodes == 3);
  CHECK(with({"platform=dgx-a100", "platform.nodes=2"}).platform.gpus_per_node == 8);
  CHECK_THAT(errors_with({"platform=" + dir.path("none.json"), "platform.nodes=5"}),
             Catch::StartsWith("--set platform=" + dir.path("none.json") + ": /platform: \"" + dir.path("none.json") +
                               "\": no such file"));
  CHECK(errors_with({"platform=" + dir.path("none.json")}) ==
        "--set platform=" + dir.path("none.json") + ": /platform: \"" + dir.path("none.json") + "\": no such file\n");
}

TEST_CASE("a wrong --set is told with its text, once") {
  CHECK(errors_with({"placement=cyclic", "platform.nodes=many"}) ==
        "--set platform.nodes=many: /platform/nodes: expected an integer from 1 to 1000000, got the text \"many\"\n");
  CHECK(errors_with({"platform.nods=4"}) ==
        "--set platform.nods=4: /platform/nods: unknown key \"nods\"; did you mean \"nodes\"? Allowed: name, source, "
        "machine, "
        "nodes, node, "
        "gpus_per_node, network, intra_node, message_overhead, reduce_bandwidth, message_bytes, jitter, "
        "rate_while_computing, protocol, nic, overrides\n");
  CHECK(errors_with({"training.exchange={\"algorithm\": \"rng\"}"}) ==
        "--set training.exchange={\"algorithm\": \"rng\"}: /training/exchange/algorithm: \"rng\" is not an algorithm; "
        "did you mean \"ring\"? Allowed: "
        "parameter_server, ring, recursive_doubling, halving_doubling, binomial_tree, hierarchical, topk_allgather, "
        "gtopk, sharded, blocking_ring, nccl, nccl:ring, nccl:tree, nccl:nvls, nccl:nvls_tree, rccl, rccl:ring, "
        "rccl:tree, mpi, "
        "mpi:4.0, mpi:4.1, spread, direct, chain, binary_tree, double_binary_tree, two_level, in_switch, nvls\n");
  CHECK(errors_with({"nonsense"}) == "--set nonsense: expected PATH=VALUE, such as platform.nodes=8\n");
  CHECK_THAT(errors_with({"=5"}), Catch::StartsWith("--set =5: expected PATH=VALUE"));
  CHECK_THAT(errors_with({"a..b=5"}), Catch::StartsWith("--set a..b=5: the path has an empty part"));
  CHECK_THAT(errors_with({"workload.tensors.1.bytes=1KB"}),
             Catch::StartsWith("--set workload.tensors.1.bytes=1KB: /workload/tensors: item 1 does not exist: the list "
                               "has 1 item, numbered from 0"));
  CHECK_THAT(errors_with({"workload.tensors.first.bytes=1KB"}),
             Catch::StartsWith("--set workload.tensors.first.bytes=1KB: /workload/tensors: the value is a list, and "
                               "\"first\" is not the number of an item"));
  CHECK_THAT(errors_with({"platform.nodes.x=1"}),
             Catch::StartsWith(
                 "--set platform.nodes.x=1: /platform/nodes: the value is the number 8, which has no key \"x\""));
}
