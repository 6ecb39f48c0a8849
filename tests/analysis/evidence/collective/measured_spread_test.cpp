// The ratio of measured to simulated times on machines like a given one.
#include "analysis/evidence/collective/measured_spread.hpp"

#include "analysis/evidence/collective/collective_bounds.hpp"
#include "analysis/evidence/collective/collective_table.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

CollectiveTable table_of(const std::string& platform, int nodes, const std::string& algorithm,
                         std::vector<double> sizes) {
  CollectiveRequest request;
  request.ops = {Operation::all_reduce};
  request.platform = platform;
  request.nodes = nodes;
  request.algorithm = algorithm;
  request.sizes = std::move(sizes);
  const CollectiveGroup group = make_group(request);
  return collective_table(request, request.ops.front(), group, check_request(request, group));
}

} // namespace

TEST_CASE("the way to a NIC: a switch or NVLink-C2C, shared or not, the processor's root, host memory") {
  NodeSpec node;
  node.gpus = 4;
  node.nics = 4;
  CHECK(nic_way(node) == NicWay::root);
  node.gpus_per_switch = 2;
  CHECK(nic_way(node) == NicWay::own_nic);
  node.nics = 2;
  CHECK(nic_way(node) == NicWay::shared_nic);
  node.gpus_per_switch = 0;
  CHECK(nic_way(node) == NicWay::root);
  node.gpu.host_link = ByteRate(1e11);
  CHECK(nic_way(node) == NicWay::shared_nic);
  node.gpudirect = false;
  CHECK(nic_way(node) == NicWay::host_memory);
}

TEST_CASE("the spread is that of machines with the same way to the NIC, or of calls inside a node") {
  NodeSpec node;
  node.gpus = 4;
  node.nics = 4;
  CHECK(measured_spreads(node, 2)->like == std::string("with NICs at the processor's PCIe root"));
  CHECK(measured_spreads(node, 1)->like == std::string("inside a node"));
  node.gpus_per_switch = 1;
  CHECK(measured_spreads(node, 2)->like == std::string("with a NIC for each GPU"));
  node.gpudirect = false; // only one such machine was measured
  CHECK(measured_spreads(node, 2) == nullptr);
}

TEST_CASE("the sentence about measured machines has the sizes of the table, and is of libraries for GPUs") {
  CHECK(spread_sentence(table_of("dgx-h100", 2, "nccl", {65532, 65536, 4194300})) ==
        "On 3 measured machines with a NIC for each GPU, nine of ten calls took 0.98 to 1.98 times the simulated time "
        "below 64 KiB, 1.15 to 6.74 times below 4 MiB.");
  CHECK(spread_sentence(table_of("dgx-h100", 1, "nccl", {4194304})) ==
        "On 8 measured machines inside a node, nine of ten calls took 0.94 to 1.25 times the simulated time from 4 MiB "
        "on.");
  CollectiveTable gathers = table_of("dgx-h100", 2, "nccl", {4194304});
  gathers.op = Operation::gather;
  CHECK(spread_sentence(gathers) == "On 3 measured machines with a NIC for each GPU, nine of ten calls took 0.96 to "
                                    "1.84 times the simulated time from 4 MiB on. No gather was among them.");
  CHECK(spread_sentence(table_of("dgx-h100", 2, "ring", {4194304})).empty());
  CHECK(spread_sentence(table_of("dgx-h100", 2, "mpi", {4194304})).empty());
  CHECK(spread_sentence(table_of("dgx-h100", 2, "nccl", {1})).empty());
}
