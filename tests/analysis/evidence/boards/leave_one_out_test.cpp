#include "analysis/evidence/boards/board_packs.hpp"
#include "analysis/evidence/boards/boards.hpp"
#include "analysis/evidence/boards/boards_output.hpp"
#include "analysis/evidence/boards/leave_one_out.hpp"
#include "analysis/evidence/boards/signed_errors.hpp"
#include "analysis/evidence/boards/typical_network.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace gradflight;

namespace {

using Texts = std::vector<std::string>;

NetworkNumbers numbers_of(const std::string& pack, std::optional<NetworkFabric> fabric, std::optional<double> latency,
                          std::optional<double> share) {
  return {pack, "machine of " + pack, fabric, NicWay::root, 25e9, latency, share};
}

NetworkNumbers by_way(const std::string& pack, NicWay way, double share) {
  auto numbers = numbers_of(pack, NetworkFabric::infiniband, {}, share);
  numbers.way = way;
  return numbers;
}

constexpr auto slingshot = NetworkFabric::slingshot, efa = NetworkFabric::efa;

/// Two machines with Slingshot at 200 Gb/s and one with EFA at 100, each with two measured sizes between two nodes.
class FabricToy {
public:
  FabricToy() {
    for (const char* name : {"one", "two", "three"})
      directory_.write(fmt::format("{}.csv", name),
                       "collective,nodes,ranks,size_bytes,time_us\nall_reduce,2,2,1024,20\nall_reduce,2,2,33554432,"
                       "2000\n");
    write_pack("one", "polaris", R"("fabric": "slingshot",)", "fitted",
               R"(, "fitted": { "to": "both", "set": { "platform.node.nic.latency": "3us",
                 "platform.node.nic_total_bandwidth": "40GB/s" } })");
    write_pack("two", "alps", R"("fabric": "slingshot",)", "scored", "");
    write_pack("three", "a100-pcie-pair", R"("fabric": "efa",)", "fitted",
               R"(, "fitted": { "to": "both", "set": { "platform.node.nic.egress_bandwidth": "5GB/s",
                 "platform.node.nic.ingress_bandwidth": "5GB/s" } })");
  }
  void write_pack(const std::string& name, const std::string& machine, const std::string& more, const std::string& role,
                  const std::string& fit) const {
    directory_.write(fmt::format("packs/{}.json", name),
                     fmt::format(R"({{ "name": "{0}", "source": "s", "licence": "l", "machine": "{1}", {2}
  "tables": [{{ "file": "../{0}.csv", "role": "{3}" }}]{4} }})",
                                 name, machine, more, role, fit));
  }
  /// Writes a machine of two nodes beside the packs.
  void write_machine(const std::string& name) const {
    directory_.write("packs/" + name, R"({ "kind": "platform", "machine": "polaris", "nodes": 2 })");
  }
  [[nodiscard]] std::string packs() const { return directory_.path("packs"); }

private:
  test::TemporaryDirectory directory_;
};

BoardCase signed_case(double size, double error, const std::string& algorithm, const std::string& protocol) {
  BoardCase made;
  made.size_bytes = size;
  made.measured = 100;
  made.simulated = 100 * (1 + error);
  made.algorithm = algorithm;
  made.protocol = protocol;
  return made;
}

} // namespace

TEST_CASE("typical latencies are medians over the other machines of a fabric, shares over those of a way") {
  const NetworkNumbers own = numbers_of("own", slingshot, 1e-6, 0.1);
  SECTION("two others: the geometric mean, for each number by itself") {
    const auto typical = typical_network(own, {own, numbers_of("a", slingshot, 2e-6, 0.4),
                                               numbers_of("b", slingshot, 8e-6, {}), numbers_of("c", efa, 50e-6, 0.9)});
    CHECK(typical.latency_s->value == Approx(4e-6).epsilon(1e-12));
    CHECK(typical.latency_s->from == Texts{"a", "b"});
    CHECK(typical.latency_s->shared_property == "slingshot");
    CHECK(typical.rate_share->value == Approx(0.6).epsilon(1e-12)); // independent of the fabric
    CHECK(typical.rate_share->from == Texts{"a", "c"});
    CHECK(typical.rate_share->shared_property == "NICs at the processor's PCIe root");
  }
  SECTION("three others: the middle one") {
    const auto typical =
        typical_network(own, {numbers_of("a", slingshot, 9e-6, 0.9), own, numbers_of("b", slingshot, 3e-6, 0.5),
                              numbers_of("c", slingshot, 4e-6, 0.6)});
    CHECK(typical.latency_s->value == Approx(4e-6).epsilon(1e-12));
    CHECK(typical.rate_share->value == Approx(0.6).epsilon(1e-12));
    CHECK(typical.rate_share->from == Texts{"a", "b", "c"});
  }
  SECTION("none of the way to the NIC: the catalogue's rate stays, whatever the fabric") {
    const auto typical = typical_network(by_way("own", NicWay::shared_nic, 0.1),
                                         {by_way("a", NicWay::own_nic, 0.9), by_way("b", NicWay::host_memory, 0.2)});
    CHECK_FALSE(typical.rate_share);
  }
  SECTION("none of the fabric: the catalogue's latency stays, and the share is that of any fabric") {
    const auto typical = typical_network(own, {own, numbers_of("a", efa, 9e-6, 0.9), numbers_of("none", {}, 1, 1)});
    CHECK_FALSE(typical.latency_s);
    CHECK(typical.rate_share->from == Texts{"a"});
  }
  SECTION("nobody: the catalogue's values stay") {
    const auto alone = typical_network(own, {own});
    CHECK_FALSE(alone.latency_s);
    CHECK_FALSE(alone.rate_share);
    CHECK(typical_assignments(alone, 25e9).empty());
  }
  SECTION("another pack of the same machine is no other machine") {
    auto same = numbers_of("again", slingshot, 2e-6, 0.4);
    same.machine = own.machine;
    CHECK_FALSE(typical_network(own, {own, same}).latency_s);
  }
  SECTION("a pack without a fabric, or without NICs, gets nothing") {
    const auto other = numbers_of("a", slingshot, 2e-6, 0.4);
    CHECK_FALSE(typical_network(numbers_of("own", {}, {}, {}), {other}).latency_s);
    auto no_nics = own;
    no_nics.line_rate = 0;
    CHECK_FALSE(typical_network(no_nics, {other}).rate_share);
  }
}

TEST_CASE("a pack's machine is a file beside the pack, wherever the program runs") {
  const FabricToy toy;
  toy.write_machine("cluster");
  toy.write_pack("two", "cluster", R"("fabric": "slingshot",)", "scored", "");
  const auto numbers = all_network_numbers(toy.packs());
  REQUIRE(numbers.size() == 3);
  CHECK(numbers[2].machine == toy.packs() + "/cluster");
  CHECK(numbers[2].line_rate == Approx(25e9));
}

TEST_CASE("a machine left out gets typical values instead of its fit, and all its rows count") {
  const FabricToy toy;
  const auto numbers = all_network_numbers(toy.packs());
  REQUIRE(numbers.size() == 3); // one, three, two
  CHECK(numbers[0].line_rate == Approx(25e9));
  CHECK(*numbers[0].latency_s == Approx(3e-6));
  CHECK(*numbers[0].rate_share == Approx(0.8));
  CHECK_FALSE(numbers[1].latency_s);
  CHECK(*numbers[1].rate_share == Approx(0.4));
  CHECK_FALSE(numbers[2].rate_share);

  const auto packs = load_boards(toy.packs(), {});
  const auto left_out = leave_one_out(packs, numbers);
  REQUIRE(left_out.size() == 3);
  // 0.4 of 2 * 25, from pack three
  CHECK(left_out[0].pack.settings() == Texts{"platform.node.nic_total_bandwidth=20GB/s"});
  CHECK(left_out[0].typical.rate_share->shared_property == "NICs at the processor's PCIe root");
  // 0.8 of 2 * 12.5, from pack one
  CHECK(left_out[1].pack.settings() == Texts{"platform.node.nic_total_bandwidth=20GB/s"});
  // No other machine has the same way to the NIC.
  CHECK(left_out[2].pack.settings() == Texts{"platform.node.nic.latency=3us"});
  CHECK(left_out[2].typical.latency_s->from == Texts{"one"});
  CHECK(left_out[0].counted());
  CHECK(left_out[0].rows(MeasuredRole::scored) == 2);

  const MeasuredBoards boards = simulate_measured(packs, {numbers, {}}, 1);
  REQUIRE(boards.in_place.size() == 3);
  REQUIRE(boards.left_out.size() == 3);
  CHECK(boards.in_place[0].pack.settings() == packs[0].pack.settings());
  const auto board = boards_of(boards.left_out).at(1);
  CHECK(board.all.errors.count == 6);
  CHECK(boards_of(boards.in_place).at(1).all.errors.count == 2);
  REQUIRE(board.fabrics.size() == 2);
  CHECK(board.fabrics[0].name == "efa");
  CHECK(board.fabrics[0].errors.count == 2);
  CHECK(board.fabrics[1].errors.count == 4);
  // Slower with 20 than with 40 GB/s, and equal if nothing changes.
  CHECK(*boards.left_out[0].tables[0].cases[1].simulated > *boards.in_place[0].tables[0].cases[1].simulated);

  const auto json = boards_json(boards);
  CHECK(json["boards"][1]["leave_one_out"]["count"] == 6);
  CHECK(json["packs"][2]["leave_one_out"]["latency_s"]["from"] == Texts{"one"});
  CHECK(json["packs"][0]["leave_one_out"]["latency_s"].is_null());
  CHECK(json["cases"][0]["leave_one_out"]["simulated_us"] == *boards.left_out[0].tables[0].cases[0].simulated);
  CHECK(json["signed_errors"]["leave_one_out"]["sizes"][0]["count"] == 3);
  CHECK(json["signed_errors"]["fit_in_place"]["sizes"][0]["count"] == 1);
  const auto text = boards_text(boards);
  CHECK_THAT(text, Catch::StartsWith("collectives, each machine left out: "));
  CHECK_THAT(text, Catch::Contains("left out: latency of a NIC's cable 3 us, typical of slingshot (from one)"));
  CHECK_THAT(boards_page(boards), Catch::Contains("Each machine left out: collectives of all sizes") &&
                                      Catch::Contains("<h2 id=\"signed-errors\">"));
}

TEST_CASE("results are taken over where the settings are the same") {
  const FabricToy toy;
  toy.write_pack("two", "alps", "", "scored", "");
  const auto boards = simulate_measured(load_boards(toy.packs(), {"two"}), {all_network_numbers(toy.packs()), {}}, 1);
  REQUIRE(boards.left_out.size() == 1);
  CHECK(boards.left_out[0].tables[0].cases[0].simulated == boards.in_place[0].tables[0].cases[0].simulated);
  CHECK_THAT(boards_text(boards), Catch::Contains("left out: the pack states no fabric, and the catalogue's values"));
}

TEST_CASE("packs that nobody asked for give typical values, so their mistakes are told") {
  const FabricToy toy;
  toy.write_pack("one", "polariss", R"("fabric": "slingshot",)", "scored", "");
  toy.write_pack("three", "aws-p4d", R"("fabric": "infinibnad",)", "scored", "");
  try {
    static_cast<void>(all_network_numbers(toy.packs()));
    FAIL("no mistake was found");
  } catch (const InputErrors& errors) {
    CHECK_THAT(errors.format(), Catch::Contains("one.json:1:") && Catch::Contains("unknown machine \"polariss\""));
    CHECK_THAT(errors.format(), Catch::Contains("/fabric:") && Catch::Contains("did you mean \"infiniband\"?"));
  }
}

TEST_CASE("signed errors: medians by size, operation and choice") {
  BoardPack pack;
  BoardTable reduced, gathered;
  reduced.what = "all_reduce";
  reduced.cases = {signed_case(65535, 0.5, "nccl:ring", "LL"), signed_case(65536, -0.2, "nccl:ring", "LL"),
                   signed_case(1048576, 0.1, "nccl:tree", "LL"), signed_case(1048577, 0.3, "ring", "")};
  gathered.what = "all_gather";
  gathered.cases = {signed_case(268435456, -0.4, "ring", ""), signed_case(268435457, -0.6, "ring", "")};
  pack.tables = {reduced, gathered};
  const SignedErrors errors = signed_errors({pack});
  REQUIRE(errors.sizes.size() == 5);
  const std::size_t counts[] = {1, 2, 1, 1, 1};
  const double medians[] = {0.5, -0.05, 0.3, -0.4, -0.6};
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(errors.sizes[i].count == counts[i]);
    CHECK(*errors.sizes[i].median == Approx(medians[i]).epsilon(1e-12));
  }
  REQUIRE(errors.operations.size() == 2);
  CHECK(errors.operations[0].name == "all_reduce");
  CHECK(*errors.operations[0].median == Approx(0.2).epsilon(1e-12));
  REQUIRE(errors.choices.size() == 3);
  CHECK(errors.choices[0].name == "nccl:ring LL");
  CHECK(*errors.choices[0].median == Approx(0.15).epsilon(1e-12));
  CHECK(errors.choices[2].name == "ring");

  pack.tables = {gathered};
  const auto pairs = signed_pairs(signed_errors({pack}).operations, errors.operations);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].left_out.count == 2);
  CHECK(pairs[0].in_place.count == 2);
  CHECK(pairs[1].left_out.name == "all_reduce");
  CHECK(pairs[1].left_out.count == 0);
  CHECK_FALSE(pairs[1].left_out.median);
  for (BoardTable& table : pack.tables) table.role = MeasuredRole::fitted;
  CHECK(signed_errors({pack}).operations.empty());
  CHECK_FALSE(signed_errors({pack}).sizes[0].median);
}
