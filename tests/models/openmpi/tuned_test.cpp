#include "models/openmpi/tuned.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::openmpi;

namespace {

Algorithm taken(Release release, Operation op, int ranks, double bytes) {
  return decide(release, op, ranks, bytes).algorithm;
}

} // namespace

TEST_CASE("Open MPI 4.1 all-reduce: by ranks, then by bytes") {
  const auto all_reduce = [](int ranks, double bytes) {
    return taken(Release::v4_1, Operation::all_reduce, ranks, bytes);
  };
  CHECK(all_reduce(2, 4) == Algorithm::ring);
  CHECK(all_reduce(2, 100000) == Algorithm::segmented_ring);
  CHECK(all_reduce(3, 1 << 20) == Algorithm::halving_doubling);
  CHECK(all_reduce(4, 8191) == Algorithm::recursive_doubling);
  CHECK(all_reduce(4, 8192) == Algorithm::halving_doubling);
  CHECK(all_reduce(64, 262143) == Algorithm::recursive_doubling);
  CHECK(all_reduce(200, 4) == Algorithm::nonoverlapping);
  CHECK(all_reduce(5000, 1 << 30) == Algorithm::halving_doubling);
}

TEST_CASE("Open MPI 4.1 counts one block for all-to-all and all-gather, the whole for reduce-scatter") {
  // Eight ranks: 262144 bytes to each rank, or less.
  CHECK(taken(Release::v4_1, Operation::alltoall, 8, 8 * 262143.0) == Algorithm::linear_sync);
  CHECK(taken(Release::v4_1, Operation::alltoall, 8, 8 * 262144.0) == Algorithm::linear);
  CHECK(taken(Release::v4_1, Operation::alltoall, 2, 2 * 300000.0) == Algorithm::two_processes);
  CHECK(taken(Release::v4_1, Operation::all_gather, 2, 1024) == Algorithm::two_processes);
  CHECK(taken(Release::v4_1, Operation::all_gather, 16, 1024) == Algorithm::recursive_doubling);
  CHECK(taken(Release::v4_1, Operation::all_gather, 12, 1024) == Algorithm::bruck); // not a power of two
  CHECK(taken(Release::v4_1, Operation::reduce_scatter, 2, 65535) == Algorithm::ring);
  CHECK(taken(Release::v4_1, Operation::reduce_scatter, 2, 65536) == Algorithm::butterfly);
}

TEST_CASE("Open MPI 4.0: sizes and ranks against lines") {
  const auto decided = [](Operation op, int ranks, double bytes) { return decide(Release::v4_0, op, ranks, bytes); };
  CHECK(decided(Operation::all_reduce, 8, 9999).algorithm == Algorithm::recursive_doubling);
  CHECK(decided(Operation::all_reduce, 8, 8 << 20).algorithm == Algorithm::ring);
  CHECK(decided(Operation::all_reduce, 8, (8 << 20) + 1).algorithm == Algorithm::segmented_ring);
  CHECK(decided(Operation::all_reduce, 8, (8 << 20) + 1).segment == 1 << 20);
  CHECK(decided(Operation::broadcast, 8, 2047).algorithm == Algorithm::binomial_tree);
  CHECK(decided(Operation::broadcast, 8, 2048).segment == 1024);
  CHECK(decided(Operation::broadcast, 8, 4e6).segment == 131072); // 8 < 8.56
  CHECK(decided(Operation::broadcast, 8, 3.6e6).segment == 8192); // 8 > 7.92, below 13 ranks
  CHECK(decided(Operation::broadcast, 64, 1e6).segment == 8192);  // 64 above all lines
  CHECK(decided(Operation::broadcast, 64, 3e7).segment == 65536); // 50.5 < 64 < 72.2
  CHECK(decided(Operation::reduce, 4, 20479).algorithm == Algorithm::binomial_tree);
  CHECK(decided(Operation::reduce, 8, 1 << 20).algorithm == Algorithm::pipeline);
  CHECK(decided(Operation::alltoall, 13, 13 * 199).algorithm == Algorithm::bruck);
  CHECK(decided(Operation::alltoall, 13, 13 * 3000).algorithm == Algorithm::pairwise);
  CHECK(decided(Operation::barrier, 6, 0).algorithm == Algorithm::bruck);
  CHECK(decided(Operation::gather, 4, 4 * 92161.0).segment == 32768);
  CHECK(decided(Operation::scatter, 11, 11 * 299).algorithm == Algorithm::binomial_tree);
}

TEST_CASE("few elements are handed over to what can split them") {
  CHECK(decide(Release::v4_1, Operation::all_reduce, 2, 4, 1).algorithm == Algorithm::recursive_doubling);
  CHECK(decide(Release::v4_1, Operation::broadcast, 20, 1 << 21, 19).algorithm == Algorithm::linear);
}

TEST_CASE("a rule holds for every operation, number of ranks and size") {
  REQUIRE(rc::check("calls", [] {
    const auto release = *rc::gen::element(Release::v4_0, Release::v4_1);
    const auto op = *rc::gen::element(Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                      Operation::alltoall, Operation::broadcast, Operation::reduce, Operation::gather,
                                      Operation::scatter, Operation::barrier);
    const int ranks = *rc::gen::inRange(2, 10000);
    const auto bytes = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 34));
    const Decision decision = decide(release, op, ranks, bytes);
    RC_ASSERT(decision.algorithm != Algorithm::none);
    if (op == Operation::all_gather && ranks % 2 == 1) RC_ASSERT(decision.algorithm != Algorithm::neighbor_exchange);
  }));
  CHECK(taken(Release::v4_1, Operation::sendrecv, 2, 1) == Algorithm::none);
}
