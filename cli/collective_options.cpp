// The options of `collective`. One of the few files that include CLI11.
#include "cli/collective.hpp"
#include "cli/terminal/page_file.hpp"
#include "cli/terminal/set_option.hpp"
#include "cli/terminal/validators.hpp"
#include "models/nccl/graph.hpp"

#include <CLI/CLI.hpp>
#include <limits>

namespace gradflight::cli {

void add_collective(CLI::App& app, CollectiveOptions& options, std::function<int()>& action) {
  CLI::App* command =
      app.add_subcommand("collective", "Print time and bandwidth of a collective by size, like nccl-tests");
  command
      ->add_option("op", options.ops,
                   "Operations: all_reduce, all_gather, reduce_scatter, alltoall, broadcast, reduce, "
                   "sendrecv, gather, scatter")
      ->required()
      ->type_name("OP");
  command->add_option("--platform", options.request.platform, "A platform file, or a machine of the catalogue")
      ->required()
      ->type_name("FILE|MACHINE");
  const auto count = [&](const char* name, int& into, const char* text) {
    command->add_option(name, into, text)->type_name("N")->check(whole_number(1, 1'000'000));
  };
  count("--ranks", options.ranks, "Ranks of the group, one GPU each (default: all GPUs of the nodes)");
  count("--nodes", options.nodes,
        "Nodes of the group, with equally many ranks on each (default: all of the platform, or one machine)");
  count("--gpus-per-node", options.gpus_per_node, "Use only the first GPUs of each node (default: all)");
  command
      ->add_option("-b,--begin", options.begin,
                   "First size: bytes, or a number with a unit such as 4MiB or, as in nccl-tests, 4M (default: 8)")
      ->type_name("SIZE");
  command->add_option("-e,--end", options.end, "Last size (default: 4GiB)")->type_name("SIZE");
  command->add_option("-f,--factor", options.request.factor, "Factor from one size to the next")
      ->type_name("F")
      ->check(number_from(1.001))
      ->capture_default_str();
  command
      ->add_option(
          "--type", options.type,
          "Element type: float, half, bfloat16, fp8, double or int8 (default: that of the --against log, else float)")
      ->type_name("TYPE");
  command
      ->add_option(
          "--algorithm", options.request.algorithm,
          "A library: nccl, nccl:ring, nccl-2.18 (tables of a release), rccl (MI300), mpi, mpi:4.0 (Open MPI). "
          "A plain schedule: ring, pairwise, bruck, ... A file with a schedule of your own. (default: nccl or rccl "
          "if the platform has node, else the fastest plain schedule)")
      ->type_name("NAME|FILE");
  command->add_option("--protocol", options.request.protocol, "Force NCCL's or RCCL's LL, LL128 or Simple")
      ->type_name("NAME");
  command->add_option("--channels", options.request.channels, "Force NCCL's or RCCL's number of channels")
      ->type_name("N")
      ->check(whole_number(1, nccl::most_channels));
  command
      ->add_option("--iters", options.request.iterations,
                   "Number of calls in a row, as in nccl-tests. The time of a library's broadcast or reduce is their "
                   "mean; other times stay "
                   "(default: 20)")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000));
  command
      ->add_option("--seeds", options.request.seeds,
                   "With routing by hash (ecmp): simulate so many seeds. Each time is their median; a column has the "
                   "90th percentile (default: 1)")
      ->type_name("N")
      ->check(whole_number(1, 1000));
  command
      ->add_option("--against", options.against, "Compare with a measured table (nccl-tests, OSU, CSV), at its sizes")
      ->type_name("LOG");
  command->add_option("--run", options.run, "Run of the log to compare with, if it has several")
      ->type_name("NAME")
      ->needs("--against");
  add_sets(*command, options.request.sets, "Change a value of the platform");
  auto* json = command->add_flag("--json", options.json, "Print the table as JSON");
  command->add_flag("--csv", options.csv, "Print the table as CSV")->excludes(json);
  add_report(*command, options.report);
  command->callback([&] { action = [&] { return collective(options); }; });
}

} // namespace gradflight::cli
