// Command lines in logs: the ranks and nodes that they start, and the table to which they belong.
#include "analysis/evidence/measured/launch_command.hpp"
#include "tests/analysis/evidence/measured/logs.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::measured;
using namespace gradflight::test;

namespace {

std::string said(std::string_view command) {
  const auto run = launched_run(command);
  return run ? fmt::format("{} ranks, {} nodes: {}", run->ranks, run->nodes, run->text) : "nothing";
}

std::string table_text(const std::string& operation) {
  return "# OSU MPI " + operation + " Latency Test v7.3\n# Size       Avg Latency(us)\n1024   10.5\n1048576   900\n";
}

} // namespace

TEST_CASE("what a command line says of ranks and nodes") {
  CHECK(said("mpirun -np 16 --hostfile hosts ./osu_allreduce -m 4:1048576") == "16 ranks, 0 nodes: mpirun -np 16");
  CHECK(said("[user@n1 ~]$ /opt/ompi/bin/mpirun -x UCX_TLS=rc -n 8 -N 4 /opt/osu/osu_bcast") ==
        "8 ranks, 2 nodes: mpirun -n 8");
  CHECK(said("$ mpiexec -np 64 --map-by ppr:8:node osu_alltoall") == "64 ranks, 8 nodes: mpiexec -np 64");
  CHECK(said("+ mpiexec.hydra -ppn 2 -n 6 osu_allgather") == "6 ranks, 3 nodes: mpiexec.hydra -n 6");
  CHECK(said("srun -N 2 -n 32 --mpi=pmix ./osu_allreduce -f") == "32 ranks, 2 nodes: srun -n 32");
  CHECK(said("srun --nodes=2 --ntasks-per-node=8 ./osu_allreduce") ==
        "16 ranks, 2 nodes: srun with 8 ranks on each of 2 nodes");
  CHECK(said("srun -n16 ./osu_allreduce") == "16 ranks, 0 nodes: srun -n 16");
  // -n belongs to the benchmark
  CHECK(said("`mpirun -np 4 ./c/osu_allreduce -n 100`") == "4 ranks, 0 nodes: mpirun -np 4");
}

TEST_CASE("command lines that tell no number of ranks") {
  for (const char* command :
       {"mpirun ./osu_allreduce", "mpirun -np 4 ./all_reduce_perf", "osu_allreduce -np 4",
        "mpirun -np $N osu_allreduce", "mpirun -np 2 a : -np 2 osu_allreduce", "mpirun -np 4 -n 8 osu_allreduce",
        "mpirun -np 0 osu_allreduce", "mpirun -np 1e9 osu_allreduce", "mpirun -np -4 osu_allreduce",
        "mpirun -np 2.5 osu_allreduce", "mpirun -np", ""})
    CHECK(said(command) == "nothing");
}

TEST_CASE("a command is of the table that follows it, and of no later one") {
  const auto tables = parse_measured("$ mpirun -np 16 \\\n    -hostfile h \\\n    ./osu_allreduce\n" +
                                         table_text("Allreduce") + table_text("Broadcast"),
                                     "x");
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].ranks == 16);
  CHECK(tables[0].ranks_from == "mpirun -np 16");
  CHECK(tables[1].ranks == 0);
  const auto each = parse_measured("mpirun -np 4 osu_allreduce\r\n" + table_text("Allreduce") +
                                       "[0] mpirun -np 8 osu_allreduce\n" + table_text("Allreduce"),
                                   "x");
  REQUIRE(each.size() == 2);
  CHECK(each[0].ranks + each[1].ranks == 12);
}

TEST_CASE("whatever stands in a command line, a number of ranks that is found is the option's") {
  REQUIRE(rc::check([] {
    const int ranks = *rc::gen::inRange(1, 5000);
    const auto junk = [] { return *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcxyz=/._ "))); };
    const std::string command =
        junk() + " mpirun " + junk() + " -np " + std::to_string(ranks) + " " + junk() + " ./osu_allreduce " + junk();
    const auto run = launched_run(command);
    RC_ASSERT(run.has_value());
    RC_ASSERT(run->ranks == ranks);
  }));
}
