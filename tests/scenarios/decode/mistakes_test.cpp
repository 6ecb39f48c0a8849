// Mistakes of users, and their messages.
#include "tests/scenarios/support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

TEST_CASE("all mistakes of a file are told at once, in its order") {
  const std::string text = R"({ "platform": { "nodes": 0, "gpus_per_nod": 1,
    "network": { "topology": "sta", "link": { "bandwidth": "10Gbs", "latency": 5 } },
    "message_overhead": "0", "reduce_bandwidth": "-10GB/s" },
  "workload": { "tensors": [ { "name": "g", "bytes": "101B" } ] },
  "training": { "exchange": { "algorithm": "ring", "servers": 2 }, "iteratons": 1,
    "warmup": [ { "iterations": 1 } ] },
  "engine": "hybird" }
)";
  const std::string rates = "B/s, KB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, bit/s, Kbps, Mbps, Gbps, Tbps";
  CHECK(errors_of_text(text) ==
        "s.json:1:26: /platform/nodes: expected an integer from 1 to 1000000, got the number 0\n"
        "s.json:1:29: /platform/gpus_per_nod: unknown key \"gpus_per_nod\"; did you mean \"gpus_per_node\"? Allowed: "
        "name, "
        "source, machine, nodes, node, gpus_per_node, network, intra_node, message_overhead, reduce_bandwidth, "
        "message_bytes, jitter, "
        "rate_while_computing, protocol, nic, overrides\n"
        "s.json:2:30: /platform/network/topology: \"sta\" is not a topology; did you mean \"star\"? Allowed: star, "
        "racks, "
        "fat_tree, torus, dragonfly, graph\n"
        "s.json:2:60: /platform/network/link/bandwidth: \"10Gbs\" is not a bandwidth: its unit \"Gbs\" is not known "
        "here; "
        "did you mean \"Gbps\"? Expected a number with a unit, such as \"10Gbps\". Allowed units: " +
            rates +
            "\n"
            "s.json:2:80: /platform/network/link/latency: 5 has no unit; expected a time such as \"5us\". Allowed "
            "units: s, "
            "ms, us, "
            "ns, min, h, d\n"
            "s.json:3:25: /platform/message_overhead: \"0\" is not a time: it has no unit. Expected a number with a "
            "unit, such as "
            "\"5us\". Allowed units: s, ms, us, ns, min, h, d\n"
            "s.json:3:50: /platform/reduce_bandwidth: \"-10GB/s\" is not a bandwidth: it must not be negative. "
            "Expected a number with a unit, such as \"10Gbps\". Allowed units: " +
            rates +
            "\n"
            "s.json:4:54: /workload/tensors/0/bytes: \"101B\" is not a whole number of 4-byte elements\n"
            "s.json:5:52: /training/exchange/servers: \"servers\" has no effect here: it needs algorithm "
            "parameter_server\n"
            "s.json:5:68: /training/iteratons: unknown key \"iteratons\"; did you mean \"iterations\"? Allowed: "
            "exchange, "
            "granularity, overlap, streams, every, accumulation, costs, compression, selection, iterations, warmup\n"
            "s.json:7:13: /engine: \"hybird\" is not an engine; did you mean \"hybrid\"? Allowed: hybrid, simgrid\n");
}

TEST_CASE("tensors left out of the compression must be there, and there must be a compression") {
  CHECK_THAT(errors_with({R"(training.compression={"ratio": 4, "except": ["*", "gg"]})"}),
             Contains("/training/compression/except/1: \"gg\" matches no tensor of the workload; did you mean \"g\"?"));
  CHECK_THAT(errors_with({R"(training.compression={"ratio": 4, "except": []})"}),
             Contains("/training/compression/except"));
  CHECK_THAT(
      errors_with({R"(training.compression={"ratio": 4, "except_below": "1KB"})", "training.exchange.algorithm=gtopk"}),
      Contains("/training/compression: top-k exchanges select from all tensors together"));
  CHECK(errors_with(
            {R"(training.compression={"ratio": 4, "except": ["g"], "except_below": "1KB", "tensor_overhead": "4B"})"})
            .empty());
}

TEST_CASE("chosen chunks need an all-reduce in order, and a step before") {
  const std::string half = R"(training.selection={"chunk_share": 0.5})";
  CHECK(errors_with({half}).empty());
  CHECK_THAT(errors_with({R"(training.selection={})"}), Contains("/training/selection: \"chunk_share\" is missing"));
  CHECK_THAT(errors_with({half, "training.exchange.algorithm=gtopk"}),
             Contains("/training/exchange/algorithm: with \"selection\", the exchange must be an all-reduce"));
  CHECK_THAT(errors_with({half, "training.granularity=tensor"}),
             Contains("/training/granularity: with \"selection\", "));
  CHECK_THAT(errors_with({half, R"(training.overlap={"pipelined":2})"}),
             Contains("/training/overlap: with \"selection\", "));
  CHECK_THAT(errors_with({half, "training.streams=2"}), Contains("/training/streams: with \"selection\", "));
  CHECK_THAT(errors_with({half, R"(training.compression={"ratio": 2, "except_below": "1KB"})"}),
             Contains("/training/compression: with \"selection\", no tensor can be excluded"));
  CHECK_THAT(errors_with({R"(training.selection={"chunk_share": 0.5, "momentum": 0.9})"}),
             Contains("/training/selection/momentum: with \"selection\", \"momentum\" needs real tensors"));
  CHECK_THAT(errors_with({R"(training.costs=[{"name": "n", "at": "selection", "on": "gpu", "fixed": "1us"}])"}),
             Contains("/training/costs/0/at: \"selection\" needs training.selection"));
}

TEST_CASE("what is missing is told where it should stand") {
  CHECK_THAT(errors_of_text("{}"), Contains("s.json:1:1: \"platform\" is missing: an object with ") &&
                                       Contains("s.json:1:1: \"workload\" is missing: ") &&
                                       Contains("s.json:1:1: \"training\" is missing: "));
  CHECK_THAT(errors_with({"training.exchange={}"}), Contains("/training/exchange: \"algorithm\" is missing: "));
  CHECK_THAT(errors_with({"platform.network.topology=racks"}), Contains("/platform/network: \"racks\" is missing"));
  CHECK_THAT(errors_with({"workload={}"}), Contains("/workload: the workload has neither \"layers\" nor \"tensors\""));
  CHECK_THAT(errors_with({"workload={\"layers\":[{\"forward\":\"1s\"}]}"}), Contains("the workload has no tensor"));
  CHECK_THAT(errors_with({"training.exchange.algorithm=hierarchical"}),
             Contains("algorithm hierarchical needs \"group_size\" or \"levels\""));
  CHECK_THAT(errors_with({"training.warmup=[{}]"}), Contains("/training/warmup/0: \"iterations\" is missing"));
}

TEST_CASE("bounds are kept") {
  struct Case {
    std::string set, pointer;
  };
  const std::vector<Case> cases{
      {"platform.nodes=0", "/platform/nodes"},
      {"platform.nodes=-1", "/platform/nodes"},
      {"platform.nodes=1.5", "/platform/nodes"},
      {"platform.nodes=1000001", "/platform/nodes"},
      {"platform.nodes=99999999999999999999", "/platform/nodes"},
      {"platform.nodes=true", "/platform/nodes"},
      {"platform.nodes=null", "/platform"},
      {"platform.nodes=[8]", "/platform/nodes"},
      {"platform.gpus_per_node=200000", "/platform/nodes"},
      {"platform.network.link.bandwidth=0Gbps", "/platform/network/link/bandwidth"},
      {"platform.network.link.bandwidth=10", "/platform/network/link/bandwidth"},
      {"platform.network.link.latency=0", "/platform/network/link/latency"},
      {"platform.network.link.latency=1e999s", "/platform/network/link/latency"},
      {"platform.network.torus={\"dimensions\":[8]}", "/platform/network/torus"},
      {"platform.intra_node={\"kind\":\"none\",\"link\":{\"bandwidth\":\"1GB/s\"}}", "/platform/intra_node/link"},
      {"platform.intra_node={\"kind\":\"pcie\"}", "/platform/intra_node"},
      {"platform.overrides=[{\"nodes\":\"3-1\",\"compute_speed\":2}]", "/platform/overrides/0/nodes"},
      {"platform.overrides=[{\"nodes\":\"\",\"compute_speed\":2}]", "/platform/overrides/0/nodes"},
      {"platform.overrides=[{\"nodes\":[],\"compute_speed\":2}]", "/platform/overrides/0/nodes"},
      {"platform.overrides=[{\"nodes\":true,\"compute_speed\":2}]", "/platform/overrides/0/nodes"},
      {"platform.overrides=[{\"nodes\":1,\"compute_speed\":0}]", "/platform/overrides/0/compute_speed"},
      {"platform.overrides=[{\"nodes\":1}]", "/platform/overrides/0"},
      {"platform.overrides=[{\"link\":\"a\",\"compute_speed\":1}]", "/platform/overrides/0/compute_speed"},
      {"workload.tensors=[]", "/workload/tensors"},
      {"workload.tensors=[{}]", "/workload/tensors/0"},
      {"workload.tensors.0.bytes=0B", "/workload/tensors/0/bytes"},
      {"workload.tensors.0.bytes=6B", "/workload/tensors/0/bytes"},
      {"workload.tensors.0.bytes=0.1B", "/workload/tensors/0/bytes"},
      {"workload.tensors.0.bytes=10000TB", "/workload/tensors/0/bytes"},
      {"workload.tensors.0.elements=0", "/workload/tensors/0/elements"},
      {"workload.tensors.0={\"shape\":[]}", "/workload/tensors/0/shape"},
      {"workload.tensors.0={\"shape\":[4000000000,4000000000]}", "/workload/tensors/0/shape"},
      {"workload.layers=[{\"tensors\":[{\"elements\":1}]}]", "/workload/tensors"},
      {"workload.compute={\"total\":\"1s\"}", "/workload/compute"},
      {"workload.compute={\"gpu_rate\":\"1TFLOP/s\"}", "/workload/compute"},
      {"workload.compute={\"forward\":\"1s\"}", "/workload/compute"},
      {"training.iterations=0", "/training/iterations"},
      {"training.iterations=1000000001", "/training/iterations"},
      {"training.streams=1025", "/training/streams"},
      {"training.every=0", "/training/every"},
      {"training.accumulation=0", "/training/accumulation"},
      {"training.overlap={\"pipelined\":0}", "/training/overlap/pipelined"},
      {"training.overlap={}", "/training/overlap"},
      {"training.overlap=5", "/training/overlap"},
      {"training.granularity={}", "/training/granularity"},
      {"training.granularity={\"segments\":2,\"ddp_bucket\":\"1MB\"}", "/training/granularity/segments"},
      {"training.granularity={\"first_bucket\":\"1MB\"}", "/training/granularity/first_bucket"},
      {"training.exchange={\"algorithm\":\"gtopk\",\"density\":0}", "/training/exchange/density"},
      {"training.exchange={\"algorithm\":\"gtopk\",\"density\":1.1}", "/training/exchange/density"},
      {"training.exchange={\"algorithm\":\"ring\",\"density\":0.1}", "/training/exchange/density"},
      {"training.exchange={\"algorithm\":\"ring\",\"consistency\":\"asynchronous\"}", "/training/exchange/consistency"},
      {"training.exchange={\"algorithm\":\"ring\",\"pull_at\":\"first_use\"}", "/training/exchange/pull_at"},
      {"training.exchange={\"algorithm\":\"gtopk\",\"pieces\":2}", "/training/exchange/pieces"},
      {"training.exchange={\"algorithm\":\"hierarchical\",\"group_size\":0}", "/training/exchange/group_size"},
      {"training.exchange={\"algorithm\":\"hierarchical\",\"group_size\":2,\"levels\":[{\"group_size\":2}]}",
       "/training/exchange/group_size"},
      {"training.exchange={\"algorithm\":\"hierarchical\",\"group_size\":2,\"top\":\"gtopk\"}",
       "/training/exchange/top"},
      {"training.compression={\"ratio\":0}", "/training/compression/ratio"},
      {"training.compression={\"ratio\":2,\"codec\":\"fp16\"}", ""},
      {"training.compression={\"ratio\":2,\"legs\":[\"push\"]}", "/training/compression/legs"},
      {"training.compression={\"ratio\":2,\"legs\":[]}", "/training/compression/legs"},
      {"training.granularity={\"segments\":26000000}", "/training/granularity/segments"},
      {"training.granularity={\"segments\":1000000}", ""},
      {"training.costs=[{\"name\":\"c\",\"at\":\"iteration\",\"on\":\"gpu\",\"per_message\":\"1us\"}]",
       "/training/costs/0/per_message"},
      {"training.warmup=[{\"iterations\":1,\"warmup\":[]}]", "/training/warmup/0/warmup"},
      {"engine=5", "/engine"},
      {"limits.simulated_time=0s", "/limits/simulated_time"},
      {"limits.wall_time=0s", "/limits/wall_time"},
      {"limits.messages=0", "/limits/messages"},
      {"expect=[{\"quantity\":\"time_s\",\"value\":\"1s\"}]", "/expect/0/value"},
  };
  for (const auto& [set, pointer] : cases) {
    INFO(set);
    const auto text = errors_with({set});
    if (pointer.empty()) {
      CHECK(text == "");
    } else {
      CHECK_THAT(text, Contains(": " + pointer + ": "));
      CHECK(std::count(text.begin(), text.end(), '\n') == 1);
    }
  }
}

TEST_CASE("rules between keys are kept") {
  const auto server = [](const std::string& rest) {
    return errors_with({"training.exchange={\"algorithm\":\"parameter_server\"," + rest + "}"});
  };
  CHECK_THAT(server("\"backup_workers\":8"),
             Contains("/training/exchange/backup_workers: 8 backup workers must be fewer"));
  CHECK(server("\"backup_workers\":7") == "");
  CHECK_THAT(server("\"servers\":9,\"colocated\":true"), Contains("/training/exchange/servers: 9 colocated servers"));
  CHECK(server("\"servers\":8,\"colocated\":true") == "");
  CHECK_THAT(server("\"servers\":999993"), Contains("/training/exchange/servers: 8 workers and 999993 servers"));
  CHECK_THAT(server("\"consistency\":\"bounded_staleness\""), Contains("\"staleness_bound\" is missing"));
  CHECK_THAT(server("\"staleness_bound\":1"), Contains("it needs consistency bounded_staleness"));
  CHECK_THAT(server("\"consistency\":\"asynchronous\",\"backup_workers\":1"),
             Contains("it needs algorithm parameter_server "
                      "and consistency synchronous"));
  CHECK_THAT(server("\"consistency\":\"asynchronous\",\"pull\":\"binomial\""), Contains("/training/exchange/pull: "));
  CHECK_THAT(server("\"backup_workers\":1,\"pull_at\":\"first_use\""), Contains("/training/exchange/pull_at: "));
  CHECK_THAT(errors_with({"workload.tensors.0.bytes=8B",
                          "training.exchange={\"algorithm\":\"parameter_server\",\"servers\":3}"}),
             Contains("/training/exchange/servers: 3 servers are too many for a model of 2 elements"));
  CHECK_THAT(errors_with({"training.warmup=[{\"iterations\":1,\"compression\":{\"ratio\":2,\"legs\":[\"pull\"]}}]"}),
             Contains("/training/warmup/0/compression/legs: only algorithm parameter_server"));
  CHECK_THAT(errors_with({"workload={\"tensors\":[{\"elements\":2251799813685248},{\"elements\":1}]}"}),
             Contains("/workload: the workload's tensors are more than 2^53 bytes together"));
}

TEST_CASE("one mistake in `training` is told once, not again for each phase") {
  const auto text = errors_with({"training.streams=0", "training.warmup=[{\"iterations\":1},{\"iterations\":2}]"});
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK_THAT(text, Contains("/training/streams: "));
}
